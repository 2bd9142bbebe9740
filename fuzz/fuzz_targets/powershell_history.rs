//! Fuzz target of `powershell_history`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("powershell_history", bytes));
