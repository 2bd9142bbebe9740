//! Handles: the names that a client uses for a run or a task.

use app::Token;
use std::fmt;

/// An unguessable name: a word and 128 random bits in hex digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Handle(String);

impl Handle {
    /// Creates a handle from the system's source of randomness.
    pub(crate) fn new(word: &str) -> Result<Handle, getrandom::Error> {
        Ok(Handle(format!("{word}-{}", Token::new()?.as_str())))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Handle;

    #[test]
    fn a_handle_is_128_bits_that_differ_each_time() {
        let [one, other] = [(); 2].map(|()| Handle::new("task").unwrap());
        assert_ne!(one, other);
        let digits = one.as_str().strip_prefix("task-").unwrap();
        assert!(digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
}
