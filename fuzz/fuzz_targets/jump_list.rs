//! Fuzz target of `jump_list`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("jump_list", bytes));
