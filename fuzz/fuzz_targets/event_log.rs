//! Fuzz target of `event_log`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("event_log", bytes));
