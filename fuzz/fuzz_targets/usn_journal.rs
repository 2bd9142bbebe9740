//! Fuzz target of `usn_journal`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("usn_journal", bytes));
