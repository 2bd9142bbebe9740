//! Fuzz target of `index_dat`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("index_dat", bytes));
