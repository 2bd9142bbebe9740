//! Fuzz target of `srum`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("srum", bytes));
