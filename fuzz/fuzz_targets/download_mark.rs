//! Fuzz target of `download_mark`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("download_mark", bytes));
