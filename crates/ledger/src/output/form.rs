//! Recognises the stored form of an output without decoding its records.
//!
//! What it recognises is exactly what [`Output::new`](super::Output::new) writes. Bytes that it does not recognise may still be valid:
//! then the records are decoded, encoded again and compared.

/// The version of the stored form.
pub(super) const VERSION: u32 = 1;

/// Returns the offset of each record's line if all of `bytes` is a stored output; `None` if only decoding can decide.
pub(super) fn lines(bytes: &[u8]) -> Option<Vec<usize>> {
    std::str::from_utf8(bytes).ok()?;
    let mut form = Form { bytes, at: 0 };
    form.is(b"{\"locard_output\":")?;
    (form.number()? == u64::from(VERSION)).then_some(())?;
    form.is(b",\"records\":")?;
    let count = form.number()?;
    form.is(b"}\n")?;
    let mut lines = Vec::new();
    while form.at < bytes.len() {
        lines.push(form.at);
        form.record(lines.len() as u64 - 1)?;
        form.is(b"\n")?;
    }
    (lines.len() as u64 == count).then_some(lines)
}

/// The bytes, and the position up to which they are recognised.
struct Form<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Form<'b> {
    fn rest(&self) -> &'b [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn is(&mut self, expected: &[u8]) -> Option<()> {
        self.rest().starts_with(expected).then(|| self.at += expected.len())
    }

    fn record(&mut self, number: u64) -> Option<()> {
        self.is(b"{\"defects\":")?;
        self.list(Form::defect)?;
        self.is(b",\"fields\":{")?;
        self.fields()?;
        self.is(b",\"id\":")?;
        (self.number()? == number && number <= u64::from(u32::MAX)).then_some(())?;
        self.is(b",\"kind\":")?;
        self.text()?;
        self.is(b",\"locator\":")?;
        self.locator()?;
        self.is(b"}")
    }

    fn fields(&mut self) -> Option<()> {
        if self.is(b"}").is_some() {
            return Some(());
        }
        let mut before: Option<&[u8]> = None;
        loop {
            let name = self.text()?;
            // With escapes in a name, the order of its bytes differs from that of its text.
            (!name.contains(&b'\\') && before.is_none_or(|before| before < name)).then_some(())?;
            before = Some(name);
            self.is(b":{\"at\":")?;
            self.span_or_null()?;
            self.is(b",\"value\":{\"type\":\"")?;
            self.value()?;
            self.is(b"}}")?;
            match self.is(b",") {
                Some(()) => {}
                None => return self.is(b"}"),
            }
        }
    }

    fn value(&mut self) -> Option<()> {
        let rest = self.rest();
        let kind = rest.get(..rest.iter().position(|byte| *byte == b'"')?)?;
        self.at += kind.len();
        self.is(b"\",\"value\":")?;
        match kind {
            b"text" | b"name" | b"path" | b"registry_path" | b"sid" | b"guid" | b"hash" | b"bytes" => {
                self.text().map(drop)
            }
            b"time" => self.time(),
            b"integer" => {
                let negative = self.is(b"-").is_some();
                let number = self.number()?;
                (!negative || (1..=1 << 62).contains(&number)).then_some(())
            }
            b"size" => self.number().map(drop),
            b"flag" => self.is(b"true").or_else(|| self.is(b"false")),
            b"list" => self.list(|form| form.text().map(drop)),
            _ => None,
        }
    }

    fn time(&mut self) -> Option<()> {
        self.is(b"{\"clock\":")?;
        self.is(b"\"host\"").or_else(|| self.is(b"\"collection-copy\""))?;
        self.is(b",\"precision\":")?;
        let known = [
            "nanosecond",
            "filetime",
            "microsecond",
            "millisecond",
            "centisecond",
            "second",
            "two_seconds",
            "day",
        ];
        let precision = self.text()?;
        known.iter().any(|known| known.as_bytes() == precision).then_some(())?;
        self.is(b",\"raw\":")?;
        self.text()?;
        self.is(b",\"utc\":")?;
        if self.is(b"null").is_none() {
            instant(self.text()?)?;
        }
        if self.is(b",\"zone\":").is_some() {
            self.is(b"\"utc\"")?;
        }
        self.is(b"}")
    }

    fn defect(&mut self) -> Option<()> {
        self.is(b"{\"offset\":")?;
        if self.is(b"null").is_none() {
            self.number()?;
        }
        self.is(b",\"path\":")?;
        self.text()?;
        self.is(b",\"what\":")?;
        self.text()?;
        self.is(b"}")
    }

    fn locator(&mut self) -> Option<()> {
        self.is(b"{\"evidence\":")?;
        self.text()?;
        self.is(b",\"path\":")?;
        self.text()?;
        if self.is(b",\"span\":").is_some() {
            self.span()?;
        }
        if self.is(b",\"stream\":").is_some() {
            self.text()?;
        }
        self.is(b"}")
    }

    fn span_or_null(&mut self) -> Option<()> {
        self.is(b"null").or_else(|| self.span())
    }

    fn span(&mut self) -> Option<()> {
        self.is(b"{\"length\":")?;
        self.number()?;
        self.is(b",\"offset\":")?;
        self.number()?;
        self.is(b"}")
    }

    fn list(&mut self, item: impl Fn(&mut Self) -> Option<()>) -> Option<()> {
        self.is(b"[")?;
        if self.is(b"]").is_some() {
            return Some(());
        }
        loop {
            item(self)?;
            match self.is(b",") {
                Some(()) => {}
                None => return self.is(b"]"),
            }
        }
    }

    /// Recognises a whole number without a sign and returns it.
    fn number(&mut self) -> Option<u64> {
        let rest = self.rest();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let digits = rest.get(..digits)?;
        ((1..=18).contains(&digits.len()) && (digits.len() == 1 || !digits.starts_with(b"0")))
            .then_some(())?;
        self.at += digits.len();
        Some(digits.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0')))
    }

    /// Recognises a text and returns it with its escapes.
    fn text(&mut self) -> Option<&'b [u8]> {
        self.is(b"\"")?;
        let rest = self.rest();
        let mut length = 0;
        loop {
            length +=
                rest.get(length..)?.iter().position(|byte| PLAIN.get(usize::from(*byte)) == Some(&false))?;
            match rest.get(length)? {
                b'"' => break,
                b'\\' => length += escape(rest.get(length + 1..)?)?,
                _ => return None,
            }
        }
        self.at += length + 1;
        rest.get(..length)
    }
}

/// Bytes that occur unescaped in a text.
static PLAIN: [bool; 256] = {
    let mut plain = [true; 256];
    let mut byte = 0;
    while byte < 256 {
        plain[byte] = byte >= 0x20 && byte != 0x22 && byte != 0x5C;
        byte += 1;
    }
    plain
};

/// Returns the length of the escape whose backslash comes before `rest`.
fn escape(rest: &[u8]) -> Option<usize> {
    match rest {
        [b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't', ..] => Some(2),
        [b'u', b'0', b'0', high, low, ..] => {
            let low = match low {
                b'0'..=b'9' => low - b'0',
                b'a'..=b'f' => low - b'a' + 10,
                _ => return None,
            };
            let byte = match high {
                b'0' => low,
                b'1' => low + 16,
                _ => return None,
            };
            // These have short escapes.
            (!matches!(byte, 8 | 9 | 10 | 12 | 13)).then_some(6)
        }
        _ => None,
    }
}

/// Recognises an instant as [`Utc`](crate::Utc) writes it, for years and days that need no calendar.
fn instant(text: &[u8]) -> Option<()> {
    let text = text.strip_suffix(b"Z")?;
    let pattern = b"dddd-dd-ddTdd:dd:dd";
    let (whole, fraction) = text.split_at_checked(pattern.len())?;
    let fits = whole.iter().zip(pattern).all(|(byte, expected)| match expected {
        b'd' => byte.is_ascii_digit(),
        expected => byte == expected,
    });
    fits.then_some(())?;
    let two = |at: usize| Some((whole.get(at)? - b'0') * 10 + (whole.get(at + 1)? - b'0'));
    let held = (10..=98).contains(&two(0)?)
        && (1..=12).contains(&two(5)?)
        && (1..=28).contains(&two(8)?)
        && two(11)? <= 23
        && two(14)? <= 59
        && two(17)? <= 59;
    held.then_some(())?;
    match fraction {
        [] => Some(()),
        [b'.', digits @ ..] => ((1..=9).contains(&digits.len())
            && digits.iter().all(u8::is_ascii_digit)
            && !digits.ends_with(b"0"))
        .then_some(()),
        _ => None,
    }
}
