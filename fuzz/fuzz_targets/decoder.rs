//! Fuzz target of the decoder that `LOCARD_DECODER` names.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode(bytes));
