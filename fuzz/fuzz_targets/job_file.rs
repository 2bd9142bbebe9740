//! Fuzz target of `job_file`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("job_file", bytes));
