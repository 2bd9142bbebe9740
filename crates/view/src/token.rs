//! The secret that opens the application.

use std::hint::black_box;

/// 128 random bits in hex digits.
pub(crate) struct Token(String);

impl Token {
    /// A new one, from the system's source of randomness.
    pub(crate) fn new() -> Result<Token, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Token(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Its digits.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a text is the token; how long this takes tells only whether it is as long.
    pub(crate) fn is(&self, text: &str) -> bool {
        let (ours, theirs) = (self.0.as_bytes(), text.as_bytes());
        let differing = ours.iter().zip(theirs).fold(0, |differing, (a, b)| black_box(differing | (a ^ b)));
        ours.len() == theirs.len() && differing == 0
    }
}

#[cfg(test)]
mod tests {
    use super::Token;

    #[test]
    fn a_token_is_128_bits_that_differ_each_time() {
        let [one, other] = [(); 2].map(|()| Token::new().unwrap());
        assert!(one.as_str().len() == 32 && one.as_str().bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_ne!(one.as_str(), other.as_str());
    }

    #[test]
    fn only_the_whole_token_is_the_token() {
        let token = Token("00ff".into());
        assert!(token.is("00ff"));
        for other in ["", "00f", "00ff0", "00fe", "10ff", "00FF"] {
            assert!(!token.is(other), "{other}");
        }
    }
}
