//! Fuzz target of `ese_database`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("ese_database", bytes));
