//! Builds `.job` files, as in Windows XP.

/// Builds a job with one daily trigger that starts `program`.
///
/// Source of the format: [MS-TSCH] 2.4.
pub fn job(program: &str, parameters: &str, author: &str) -> Vec<u8> {
    let mut bytes = vec![0x01, 0x05, 1, 0];
    bytes.extend([0x11; 16]);
    let mut texts = Vec::new();
    for text in [program, parameters, "", author, ""] {
        let units: Vec<u16> =
            if text.is_empty() { Vec::new() } else { text.encode_utf16().chain([0]).collect() };
        texts.extend(u16::try_from(units.len()).unwrap_or(0).to_le_bytes());
        texts.extend(units.into_iter().flat_map(u16::to_le_bytes));
    }
    // Empty user data, and eight reserved bytes preceded by their count.
    texts.extend([0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let words = |words: &[u16]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    let triggers = u16::try_from(70 + texts.len()).unwrap_or(0);
    bytes.extend(words(&[70, triggers, 0, 0, 60, 10]));
    bytes.extend([0x20u32, 259_200_000, 0, 0x41300, 0].iter().flat_map(|word| word.to_le_bytes()));
    bytes.extend(words(&[2012, 4, 3, 4, 1, 58, 40, 0]));
    bytes.extend([0, 0]);
    bytes.extend(texts);
    bytes.extend(words(&[1, 48, 0, 2012, 4, 4, 0, 0, 0, 2, 0]));
    bytes.extend([60u32, 5, 0, 1].iter().flat_map(|word| word.to_le_bytes()));
    bytes.extend(words(&[1, 0, 0, 0, 0, 0]));
    bytes
}
