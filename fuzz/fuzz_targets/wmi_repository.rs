//! Fuzz target of `wmi_repository`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("wmi_repository", bytes));
