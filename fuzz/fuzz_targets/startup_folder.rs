//! Fuzz target of `startup_folder`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("startup_folder", bytes));
