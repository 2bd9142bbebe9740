//! Canonical Huffman codes: shorter words first, words of equal length in the order of their symbols.

use super::bits::Bits;

/// Bits of the longest word.
const LONGEST: usize = 16;

/// Words of up to this many bits are found by one lookup.
const QUICK: usize = 9;

/// A code, defined by the lengths of its words.
pub(super) struct Code {
    /// By length: the upper bound, as 16 bits, of all words of this length, and the difference between a word
    /// and its index in `symbols`.
    lengths: [(u32, u32); LONGEST + 1],
    /// The symbols in the order of their words.
    symbols: Vec<u16>,
    /// Indexed by the next bits: symbol and length of a short word; length 0 if there is none.
    quick: Vec<(u16, u8)>,
}

impl Code {
    /// Creates the code with these word lengths by symbol, 0 for a symbol without a word.
    ///
    /// `None` if some bit sequence matches no word, or two. A code without any words is accepted, and decodes
    /// nothing.
    pub(super) fn new(by_symbol: &[u8]) -> Option<Code> {
        let mut code = Code {
            lengths: [(0, 0); LONGEST + 1],
            symbols: Vec::with_capacity(by_symbol.len()),
            quick: vec![(0, 0); 1 << QUICK],
        };
        let mut next = 0u32;
        for (length, found) in code.lengths.iter_mut().enumerate().skip(1) {
            let unit = 1u32 << (LONGEST - length);
            let before = u32::try_from(code.symbols.len()).ok()?;
            let first = next / unit;
            for (symbol, _) in (0u16..).zip(by_symbol).filter(|(_, own)| usize::from(**own) == length) {
                code.symbols.push(symbol);
                fill(&mut code.quick, next, length, symbol);
                next = next.checked_add(unit).filter(|next| *next <= 1 << LONGEST)?;
            }
            *found = (next, first.wrapping_sub(before));
        }
        (next == 1 << LONGEST || code.symbols.is_empty()).then_some(code)
    }

    /// Returns the symbol of the next word.
    pub(super) fn next(&self, bits: &mut Bits<'_>) -> Option<u16> {
        let peeked = bits.peek();
        let short = usize::try_from(peeked >> (LONGEST - QUICK)).ok()?;
        if let Some((symbol, length @ 1..)) = self.quick.get(short) {
            bits.skip((*length).into());
            return Some(*symbol);
        }
        let mut lengths = self.lengths.iter().enumerate().skip(1);
        let (length, (_, offset)) = lengths.find(|(_, (behind, _))| peeked < *behind)?;
        bits.skip(length);
        let place = (peeked >> (LONGEST - length)).wrapping_sub(*offset);
        self.symbols.get(usize::try_from(place).ok()?).copied()
    }
}

/// Enters a word, given as 16 bits, at every index that begins with it.
fn fill(quick: &mut [(u16, u8)], word: u32, length: usize, symbol: u16) {
    let (Ok(first), Ok(bits)) = (usize::try_from(word >> (LONGEST - QUICK)), u8::try_from(length)) else {
        return;
    };
    if let Some(count) = QUICK.checked_sub(length) {
        let places = quick.get_mut(first..).unwrap_or_default();
        places.iter_mut().take(1 << count).for_each(|place| *place = (symbol, bits));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_short_and_long_give_their_symbols() {
        // 16 words: one each of 1, 2, ... 14 bits and two of 15 bits; the word of symbol n is n ones and a zero.
        let lengths: Vec<u8> = (1..=15).chain([15]).collect();
        let code = Code::new(&lengths).unwrap();
        for (symbol, length) in (0u16..).zip(&lengths) {
            let mut word: u16 = if symbol == 15 { 0xfffe } else { !(0xffff >> symbol) };
            word |= 0x5555 & (0xffff >> length);
            let bytes = word.to_le_bytes();
            let mut bits = Bits::new(&bytes);
            assert_eq!(code.next(&mut bits), Some(symbol));
            assert_eq!(
                bits.take(16 - usize::from(*length)),
                usize::from(word & (0xffffu32 >> length) as u16)
            );
        }
    }

    #[test]
    fn a_code_must_be_whole_or_empty() {
        assert!(Code::new(&[1, 2]).is_none());
        assert!(Code::new(&[1, 1, 1]).is_none());
        assert!(Code::new(&[1]).is_none());
        assert!(Code::new(&[16; 1 << 9]).is_none());
        assert!(Code::new(&[0, 1, 0, 1]).is_some());
        assert_eq!(Code::new(&[0; 9]).unwrap().next(&mut Bits::new(&[0; 4])), None);
    }
}
