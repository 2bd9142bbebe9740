//! Fuzz target of `prefetch`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("prefetch", bytes));
