//! Fuzz target of `scheduled_task`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("scheduled_task", bytes));
