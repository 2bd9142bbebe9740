//! Fuzz target of registry hives.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::hive(bytes));
