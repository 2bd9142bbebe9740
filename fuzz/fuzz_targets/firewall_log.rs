//! Fuzz target of `firewall_log`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("firewall_log", bytes));
