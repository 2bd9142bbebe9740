//! Fuzz target of `web_cache`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("web_cache", bytes));
