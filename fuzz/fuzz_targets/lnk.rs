//! Fuzz target of `lnk`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("lnk", bytes));
