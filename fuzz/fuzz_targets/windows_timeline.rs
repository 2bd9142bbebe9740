//! Fuzz target of `windows_timeline`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("windows_timeline", bytes));
