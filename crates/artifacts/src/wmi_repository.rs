//! Permanent event subscriptions of WMI, carved from `OBJECTS.DATA`.
//!
//! An instance begins with the digest of its class name in UTF-16LE (SHA-256 since Windows Vista, MD5 before),
//! two times and its length. Its table of properties is followed by a heap. The first text in the heap is the
//! class name; the other texts are in the order of the names of their properties. Each text is preceded by a
//! byte that gives its encoding.
//! Source of the format: FireEye (W. Ballenthin, M. Graeber, C. Teodorescu), "Windows Management Instrumentation
//! (WMI) Offense, Defense, and Forensics", 2015, and its python-cim; Joachim Metz, dtformats, "WMI repository
//! file format".
//! The index is not read: an instance that is found may be deleted or overwritten, and one that continues on
//! another page is cut off there.

use crate::fields::{Located, bytes, u32_at, utf16};
use crate::sid::sid;
use memchr::memmem;

/// The longest instance that is read.
const LONGEST: usize = 1 << 20;

/// The maximum distance from the start of an instance to its heap.
const HEAP_WITHIN: usize = 4096;

/// The most texts of one instance.
const TEXTS: usize = 64;

/// The most instances of one class that are read.
const MOST: usize = 10_000;

/// A class of event subscriptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// `__EventFilter`: the event that is waited for.
    Filter,
    /// `__FilterToConsumerBinding`: which consumer gets the events of which filter.
    Binding,
    /// `CommandLineEventConsumer`: starts a program.
    CommandLine,
    /// `ActiveScriptEventConsumer`: runs a script.
    Script,
    /// `NTEventLogEventConsumer`: writes into the event log.
    EventLog,
    /// `LogFileEventConsumer`: writes into a file.
    LogFile,
    /// `SMTPEventConsumer`: sends a mail.
    Mail,
}

impl Class {
    /// Returns its name in WMI.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Filter => "__EventFilter",
            Class::Binding => "__FilterToConsumerBinding",
            Class::CommandLine => "CommandLineEventConsumer",
            Class::Script => "ActiveScriptEventConsumer",
            Class::EventLog => "NTEventLogEventConsumer",
            Class::LogFile => "LogFileEventConsumer",
            Class::Mail => "SMTPEventConsumer",
        }
    }

    /// Returns the digests of its name in upper case: SHA-256 and MD5.
    const fn digests(self) -> [&'static str; 2] {
        match self {
            Class::Filter => [
                "47C79E62C2227EDD0FF29BF44D87F2FAF9FEDF60A18D9F82597602BD95E20BD3",
                "D4A52B2BD3BF3604AD338F63412AEB3C",
            ],
            Class::Binding => [
                "0A7ABE63F36E2B2920FEDAFAE849823AF9429CC0EA373FFEE1507EDB21FD9170",
                "A8B3187D121830A052261C3643ACD9AF",
            ],
            Class::CommandLine => [
                "BBFCCB444CF66AA09AE6F15967A6865175BB0ED216D19970A7988B72CDF0A3A4",
                "350EB6ACE592C89B344EECFE24ACDF77",
            ],
            Class::Script => [
                "3E78A37E1DE70357C353A15D6BBB8A17A1D31F8D501ED8F1C3EB8104F5B04F97",
                "5D1A479DE8D5AFD9BDEDA7BE5BEA9591",
            ],
            Class::EventLog => [
                "8467A5D32DFAA09A39BDC8BB8DDCC953CDC4A4C5E390EC615CB5FA0C07CF5251",
                "E6C579F59FCBD59F5F40D32F3A505E0A",
            ],
            Class::LogFile => [
                "2515B1950A64510A509CF61C80D68865E7CFF544688645F2490CFFE0E6C807F2",
                "3E809FD8DD509A11D628992AEA792A5E",
            ],
            Class::Mail => [
                "9C256CE37E6F9177BC0EC95344373747E0112D20D664373933986EE480BE67C9",
                "D2B80DA64B60F0E0BF3170DC5D0AF61D",
            ],
        }
    }

    const ALL: [Class; 7] = [
        Class::Filter,
        Class::Binding,
        Class::CommandLine,
        Class::Script,
        Class::EventLog,
        Class::LogFile,
        Class::Mail,
    ];
}

/// One instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Its class.
    pub class: Class,
    /// Its location.
    pub at: Located<()>,
    /// Its texts after the class name, in order.
    pub texts: Vec<Located<String>>,
    /// Who created it, and how many of the texts come before that.
    pub creator: Option<(Located<String>, usize)>,
    /// Whether its heap ends before its declared length.
    pub cut: bool,
}

/// Returns the instances of all classes, sorted by location, and whether there were more of one class than are read.
pub fn carve(data: &[u8]) -> (Vec<Instance>, bool) {
    let (mut found, mut more) = (Vec::new(), false);
    for class in Class::ALL {
        for digest in class.digests() {
            let needle: Vec<u8> = digest.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let all =
                memmem::find_iter(data, &needle).filter_map(|at| instance(data, at, needle.len(), class));
            let before = found.len();
            found.extend(all.take(MOST));
            more |= found.len() - before == MOST;
        }
    }
    found.sort_by_key(|one| one.at.offset);
    (found, more)
}

fn instance(data: &[u8], at: usize, digest: usize, class: Class) -> Option<Instance> {
    let body = at + digest + 16;
    let length = u32_at(data, body).map(|length| length as usize).filter(|length| *length <= LONGEST)?;
    let end = body.checked_add(length)?.min(data.len());
    let name = [&[0][..], class.name().as_bytes(), &[0]].concat();
    let near = data.get(body..end.min(body + HEAP_WITHIN))?;
    let heap = body + memmem::find(near, &name)?;
    // The length of the heap, whose highest bit is always set.
    let held = u32_at(data, heap.checked_sub(4)?)?;
    let promised = heap + (held & 0x7FFF_FFFF) as usize;
    let stop = if held >> 31 == 1 { promised.min(end) } else { end };
    let mut one = Instance {
        class,
        at: Located::new((), at, stop.saturating_sub(at)),
        texts: Vec::new(),
        creator: None,
        cut: promised > data.len() || held >> 31 != 1,
    };
    texts(data, heap + name.len(), stop, &mut one);
    Some(one)
}

/// Reads the texts of a heap; anything else, such as a list of numbers, is skipped.
fn texts(data: &[u8], mut at: usize, end: usize, one: &mut Instance) {
    while at < end && one.texts.len() < TEXTS {
        if let Some((text, next)) = text(data, at, end) {
            if !text.value.is_empty() {
                one.texts.push(text);
            }
            at = next;
        } else if let Some((found, next)) = creator(data, at, end) {
            one.creator = Some((found, one.texts.len()));
            at = next;
        } else {
            at += 1;
        }
    }
}

/// Reads a text up to a NUL: single bytes after a byte 0, or UTF-16LE after a byte 1. Also returns the offset
/// after it.
fn text(data: &[u8], at: usize, end: usize) -> Option<(Located<String>, usize)> {
    let rest = data.get(at + 1..end)?;
    match data.get(at)? {
        0 => {
            let length = memchr::memchr(0, rest)?;
            let raw = rest.get(..length)?;
            // Single bytes are Latin-1.
            let text: String = raw.iter().copied().map(char::from).collect();
            let printable = |c: char| !c.is_control() || matches!(c, '\r' | '\n' | '\t');
            text.chars().all(printable).then(|| (Located::new(text, at + 1, length), at + 2 + length))
        }
        1 => {
            let length = rest.as_chunks::<2>().0.iter().position(|pair| *pair == [0, 0])? * 2;
            let mut damage = Vec::new();
            let text = utf16(rest.get(..length)?, at + 1, "a text", &mut damage);
            (damage.is_empty() && length > 0).then(|| (Located::new(text, at + 1, length), at + 3 + length))
        }
        _ => None,
    }
}

/// Reads a SID as a list of bytes preceded by their number.
fn creator(data: &[u8], at: usize, end: usize) -> Option<(Located<String>, usize)> {
    let length = u32_at(data, at)? as usize;
    let found = sid(bytes(data, at + 4, length)?, 0)?.moved(at + 4);
    let next = at + 4 + length;
    (found.length == length && next <= end).then_some((found, next))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use testkit::wmi_repository::{instance as made, repository};

    #[test]
    fn instances_are_found_with_their_texts_and_creator() {
        let data = repository();
        let (found, more) = carve(&data);
        let classes: Vec<_> = found.iter().map(|one| one.class).collect();
        assert_eq!(classes, [Class::Filter, Class::CommandLine, Class::Script, Class::Binding]);
        let filter: Vec<_> = found[0].texts.iter().map(|text| text.value.as_str()).collect();
        assert_eq!(
            filter,
            ["root\\cimv2", "Sync", "SELECT * FROM __InstanceModificationEvent WITHIN 60", "WQL"]
        );
        let (creator, before) = found[1].creator.clone().unwrap();
        assert_eq!((creator.value.as_str(), before), ("S-1-5-21-1-2-3-1001", 1));
        let command = &found[1].texts[0];
        assert_eq!(&data[command.offset..command.offset + command.length], b"C:\\Tools\\sync.exe /all");
        assert!(!more && found.iter().all(|one| !one.cut));
    }

    #[test]
    fn the_name_of_a_class_alone_is_no_instance() {
        assert_eq!(carve(b"....\0__EventFilter\0\0root\\cimv2\0").0, []);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(tail in prop::collection::vec(any::<u8>(), 0..300), cut in 0usize..400) {
            let mut data = made(Class::Filter.name(), Class::Filter.digests()[0], &["a"], None, &["b"]);
            data.truncate(cut);
            data.extend(tail);
            let _ = carve(&data);
        }
    }
}
