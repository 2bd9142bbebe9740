//! DetectionHistory files of Windows Defender: one for each detection.
//!
//! Source of the format: Joachim Metz, dtformats, "Windows Defender scan DetectionHistory file format": values
//! of a size, a type and data, padded to eight bytes. `Magic.Version:1.2` separates them into sets: of the file,
//! of the threat, and one for each resource.

use crate::damage::{Damage, DamageKind};
use crate::fields::{Located, bytes, guid_at, located_filetime, u32_at, u64_at, utf16};
use crate::registry::Filetime;

const TIME: u32 = 0x0A;
const TEXT: u32 = 0x15;
const GUID: u32 = 0x1E;
const TRACKING: u32 = 0x28;

/// The separator between two sets.
const MAGIC: &str = "Magic.Version:";

/// The most values of one file that are read.
const MOST: usize = 20_000;

/// The content of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detection {
    /// The number of the threat.
    pub threat_id: Option<Located<u64>>,
    /// The identifier of the detection, which is also the file's name.
    pub id: Option<Located<String>>,
    /// The name of the threat.
    pub threat: Option<Located<String>>,
    /// The resources in which it was found.
    pub resources: Vec<Resource>,
    /// When the state of the detection last changed.
    pub changed: Option<Located<Filetime>>,
    /// When it was first detected.
    pub detected: Option<Located<Filetime>>,
    /// When the threat was remediated.
    pub remediated: Option<Located<Filetime>>,
    /// The user account.
    pub user: Option<Located<String>>,
    /// The process that touched the resource; `Unknown` where there was none.
    pub process: Option<Located<String>>,
    /// The damage found in the file.
    pub damage: Vec<Damage>,
}

/// A resource in which a threat was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resource {
    /// Its kind: `file`, `process`, `regkey`, `CmdLine`, …
    pub kind: Option<Located<String>>,
    /// Where the resource is.
    pub location: Option<Located<String>>,
    /// The SHA-256 of its content.
    pub sha256: Option<Located<String>>,
    /// The SHA-1 of its content.
    pub sha1: Option<Located<String>>,
    /// The MD5 of its content.
    pub md5: Option<Located<String>>,
}

/// One value: its type and the location of its data.
struct Value {
    kind: u32,
    at: usize,
    length: usize,
}

/// Checks whether a file begins like one: a number of eight bytes, a GUID, and the separator of the first set.
pub fn fits(head: &[u8]) -> bool {
    u32_at(head, 0) == Some(8) && u32_at(head, 4) == Some(8) && u32_at(head, 20) == Some(GUID)
}

/// Reads a file; `None` if it does not begin like one.
pub fn read(data: &[u8]) -> Option<Detection> {
    if !fits(data) {
        return None;
    }
    let mut found = Detection {
        threat_id: u64_at(data, 8).map(|id| Located::new(id & 0xFFFF_FFFF, 8, 8)),
        id: guid_at(data, 24).map(|id| Located::new(id, 24, 16)),
        ..Detection::default()
    };
    let values = values(data, &mut found.damage);
    let (mut set, mut place, mut times, mut texts) = (0, 0, 0, 0);
    for value in &values {
        let text = text(data, value);
        if text.as_ref().is_some_and(|text| text.value.starts_with(MAGIC)) {
            (set, place) = (set + 1, 0);
            if set > 1 {
                found.resources.push(Resource::default());
            }
            continue;
        }
        place += 1;
        match (set, found.resources.last_mut()) {
            (1, _) if place == 1 => found.threat = text,
            (_, Some(resource)) if place == 1 => resource.kind = text,
            (_, Some(resource)) if place == 2 => resource.location = text,
            (_, Some(resource)) if value.kind == TRACKING => tracking(data, value, resource),
            (_, Some(_)) if value.kind == TIME => {
                times += 1;
                let time = located_filetime(data, value.at);
                match times {
                    1 => found.changed = time,
                    2 => found.detected = time,
                    3 => found.remediated = time,
                    _ => {}
                }
            }
            (_, Some(_)) if value.kind == TEXT => {
                texts += 1;
                match texts {
                    1 => found.user = text,
                    2 => found.process = text,
                    _ => {}
                }
            }
            _ => {}
        }
    }
    Some(found)
}

fn values(data: &[u8], damage: &mut Vec<Damage>) -> Vec<Value> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < data.len() {
        let (Some(length), Some(kind)) = (u32_at(data, at), u32_at(data, at + 4)) else {
            damage.push(Damage::at(at, DamageKind::Length { expected: at + 8, actual: data.len() }));
            break;
        };
        let (start, length) = (at + 8, length as usize);
        let available = data.len().saturating_sub(start);
        if length > available {
            damage.push(Damage::at(at, DamageKind::Outside { what: "a value", length, available }));
            break;
        }
        if found.len() >= MOST {
            damage.push(Damage::at(at, DamageKind::TooMany { what: "values", limit: MOST }));
            break;
        }
        found.push(Value { kind, at: start, length });
        at = start + length.next_multiple_of(8);
    }
    found
}

fn text(data: &[u8], value: &Value) -> Option<Located<String>> {
    if value.kind != TEXT {
        return None;
    }
    plain(data, value.at, value.length)
}

/// Reads UTF-16LE with or without a NUL at its end.
fn plain(data: &[u8], at: usize, length: usize) -> Option<Located<String>> {
    let raw = bytes(data, at, length)?;
    let raw = raw.strip_suffix(&[0, 0]).unwrap_or(raw);
    let text = utf16(raw, at, "a text", &mut Vec::new());
    (!text.is_empty()).then(|| Located::new(text, at, raw.len()))
}

/// Reads the digests among the keys and values of threat tracking.
fn tracking(data: &[u8], value: &Value, resource: &mut Resource) {
    let end = value.at + value.length;
    for (key, into) in [
        ("ThreatTrackingSha256", &mut resource.sha256),
        ("ThreatTrackingSha1", &mut resource.sha1),
        ("ThreatTrackingMD5", &mut resource.md5),
    ] {
        let Some(blob) = data.get(value.at..end) else { return };
        // The NUL at the end keeps a key from matching the beginning of a longer one.
        let key: Vec<u8> = key.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
        let Some(found) = blob.windows(key.len()).position(|window| window == key) else { continue };
        let at = value.at + found + key.len();
        if u32_at(data, at) != Some(6) {
            continue;
        }
        let Some(length) = u32_at(data, at + 4).map(|length| length as usize) else { continue };
        if at + 8 + length <= end {
            *into = plain(data, at + 8, length);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use testkit::detection_history::detection;

    #[test]
    fn a_detection_tells_threat_file_user_and_times() {
        let found =
            read(&detection("HackTool:Win32/Example", "C:\\Tools\\sync.exe", 129_779_783_208_392_490))
                .unwrap();
        assert_eq!(found.damage, []);
        assert_eq!(found.threat.unwrap().value, "HackTool:Win32/Example");
        assert_eq!(found.resources.len(), 1);
        assert_eq!(found.resources[0].location.clone().unwrap().value, "C:\\Tools\\sync.exe");
        assert_eq!(
            found.resources[0].sha1.clone().unwrap().value,
            "da39a3ee5e6b4b0d3255bfef95601890afd80709"
        );
        assert_eq!(found.detected.unwrap().value, Filetime(129_779_783_208_392_490));
        assert_eq!(
            (found.user.unwrap().value, found.process.unwrap().value),
            ("WKS-1\\ann".into(), "Unknown".into())
        );
    }

    #[test]
    fn a_cut_file_is_read_as_far_as_it_goes_and_says_so() {
        let whole = detection("HackTool:Win32/Example", "C:\\Tools\\sync.exe", 1);
        let found = read(&whole[..150]).unwrap();
        assert_eq!(found.threat.unwrap().value, "HackTool:Win32/Example");
        assert!(!found.damage.is_empty());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(tail in prop::collection::vec(any::<u8>(), 0..400)) {
            let mut bytes = detection("a", "b", 1)[..40].to_vec();
            bytes.extend(tail);
            let _ = read(&bytes);
        }
    }
}
