//! Fuzz target of `chromium_history`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("chromium_history", bytes));
