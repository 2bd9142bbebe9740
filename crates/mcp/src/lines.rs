//! Lines of bounded length, each a JSON value; anything longer or invalid is replaced.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};

/// The maximum length of a line in the protocol, in bytes.
pub(crate) const LONGEST_LINE: usize = 1 << 20;

/// A line that is not a message, to which a reader responds with an error.
const IN_PLACE: &[u8] = b"{}\n";

/// A reader of lines; a line that is longer than `most` bytes, or not JSON, is read as one that is not a message.
pub(crate) struct Lines<R> {
    inner: R,
    most: usize,
    /// The current line so far, and complete lines that have not been read yet.
    held: Vec<u8>,
    /// The number of bytes of `held` that may be read: they end with a complete line.
    ready: usize,
    /// The number of these bytes that were read.
    read: usize,
    /// Whether the rest of an overlong line is being skipped.
    skipping: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(inner: R, most: usize) -> Lines<R> {
        Lines { inner, most, held: Vec::new(), ready: 0, read: 0, skipping: false }
    }

    /// Replaces a line that is not JSON by one that gets a response: the transport would silently skip it.
    fn judge(&mut self) {
        let line = self.held.get(self.ready..).unwrap_or_default();
        let is_blank = line.iter().all(u8::is_ascii_whitespace);
        if !is_blank && serde_json::from_slice::<serde_json::Value>(line).is_err() {
            self.held.truncate(self.ready);
            self.held.extend_from_slice(IN_PLACE);
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let ends = piece.last() == Some(&b'\n');
            if !self.skipping && self.held.len() - self.ready + piece.len() > self.most {
                self.held.truncate(self.ready);
                self.skipping = true;
            }
            match self.skipping {
                false => self.held.extend_from_slice(piece),
                true if ends => self.held.extend_from_slice(IN_PLACE),
                true => {}
            }
            if ends {
                self.skipping = false;
                self.judge();
                self.ready = self.held.len();
            }
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Lines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let this = &mut *self;
            if this.read < this.ready {
                let until = this.ready.min(this.read + out.remaining());
                if let Some(bytes) = this.held.get(this.read..until) {
                    out.put_slice(bytes);
                }
                this.read = until;
                if this.read == this.ready {
                    this.held.drain(..this.ready);
                    (this.read, this.ready) = (0, 0);
                }
                return Poll::Ready(Ok(()));
            }
            let mut space = [0; 16 * 1024];
            let mut piece = ReadBuf::new(&mut space);
            ready!(Pin::new(&mut this.inner).poll_read(context, &mut piece))?;
            if piece.filled().is_empty() {
                // An incomplete last line is ignored.
                return Poll::Ready(Ok(()));
            }
            this.take(piece.filled());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    async fn read(text: &str, most: usize) -> String {
        let mut lines = Lines::new(text.as_bytes(), most);
        let mut out = String::new();
        lines.read_to_string(&mut out).await.unwrap();
        assert!(lines.held.capacity() <= 64 * 1024);
        out
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_reads_as_one_that_is_no_message_and_the_others_as_they_are() {
        assert_eq!(read("123\n45\n", 4).await, "123\n45\n");
        assert_eq!(read("1234\n45\n", 4).await, "{}\n45\n");
        let long = "1".repeat(1 << 20);
        assert_eq!(read(&format!("1\n{long}\n2\n{long}\n"), 100).await, "1\n{}\n2\n{}\n");
        assert_eq!(read("1\nno end", 100).await, "1\n");
    }

    #[tokio::test]
    async fn a_line_that_is_no_json_reads_as_one_that_is_no_message() {
        assert_eq!(read("{nope\n\n[1]\n", 100).await, "{}\n\n[1]\n");
        assert_eq!(read("{} {}\n\"\\ud800\"\n", 100).await, "{}\n{}\n");
        let deep = "[".repeat(1000) + &"]".repeat(1000);
        assert_eq!(read(&format!("{deep}\n1\n"), 10_000).await, "{}\n1\n");
    }
}
