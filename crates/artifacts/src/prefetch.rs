//! Prefetch files: which program was started, how often, when, and which files it then used.
//!
//! Source of the format: Joachim Metz, "Windows Prefetch File (PF) format" (github.com/libyal/libscca), whose
//! section names are used.
//! Windows 10 and later compress these files (`MAM`); the caller must expand them first. This code reads what
//! begins with a version and `SCCA`.

mod parts;

use crate::damage::{Damage, DamageKind};
use crate::fields::{Located, located_filetime, located_u32, u32_at, utf16};
use crate::registry::Filetime;

/// Size of a program name in bytes, with its NUL: 30 units.
const NAME: usize = 60;

/// The offset of the file metrics that identifies the second variant of version 30: its information is 8 bytes
/// shorter.
const SHORT_METRICS: u32 = 0x128;

/// The content of a prefetch file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefetch {
    /// 17, 23, 26, 30 or 31.
    pub version: Located<u32>,
    /// Name of the program, at most 29 units.
    pub executable: Located<String>,
    /// Hash of its path, which is also in the file name.
    pub hash: Option<Located<u32>>,
    /// How often it was started.
    pub run_count: Option<Located<u32>>,
    /// When it was started, latest first; entries without a time are left out.
    pub runs: Vec<Located<Filetime>>,
    /// The volumes it used.
    pub volumes: Vec<Volume>,
    /// The files it used, by device path.
    pub files: Vec<Located<String>>,
    /// The damage found in the file.
    pub damage: Vec<Damage>,
}

/// A volume that a program used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Volume {
    /// Its device path.
    pub path: Option<Located<String>>,
    /// When it was created.
    pub created: Option<Located<Filetime>>,
    /// Its serial number.
    pub serial: Option<Located<u32>>,
}

impl Prefetch {
    /// Returns the path of the program: the only one of the files that has its name.
    ///
    /// If the name has 29 units, the maximum that can be stored, files that begin with it also count.
    pub fn program(&self) -> Option<&Located<String>> {
        let name = self.executable.value.to_lowercase();
        let cut = self.executable.value.encode_utf16().count() + 1 >= NAME / 2;
        let mut found = self.files.iter().filter(|file| {
            let own = file.value.rsplit('\\').next().unwrap_or_default().to_lowercase();
            own == name || cut && own.starts_with(&name)
        });
        found.next().filter(|_| found.next().is_none())
    }
}

/// Returns the version, if the bytes begin like an expanded prefetch file of a known one.
pub fn version(bytes: &[u8]) -> Option<u32> {
    let known = u32_at(bytes, 0).filter(|version| matches!(version, 17 | 23 | 26 | 30 | 31))?;
    (bytes.get(4..8)? == b"SCCA").then_some(known)
}

/// Reads an expanded file; `None` if it does not begin like one.
pub fn read(bytes: &[u8]) -> Option<Prefetch> {
    let version = Located::new(version(bytes)?, 0, 4);
    let mut damage = Vec::new();
    let expected = u32_at(bytes, 12).and_then(|size| usize::try_from(size).ok());
    if let Some(expected) = expected.filter(|expected| *expected != bytes.len()) {
        damage.push(Damage::at(12, DamageKind::Length { expected, actual: bytes.len() }));
    }
    let executable = name(bytes, &mut damage)?;
    let layout = Layout::of(version.value, bytes, &mut damage);
    let runs = layout.runs(bytes);
    let run_count = located_u32(bytes, layout.run_count);
    if run_count.is_none() {
        let (expected, actual) = (layout.run_count + 4, bytes.len());
        damage.push(Damage::at(layout.run_count, DamageKind::Length { expected, actual }));
    }
    let files = parts::files(bytes, &mut damage);
    let volumes = parts::volumes(bytes, layout.volume, &mut damage);
    let hash = located_u32(bytes, 76);
    Some(Prefetch { version, executable, hash, run_count, runs, volumes, files, damage })
}

/// Reads the program's name, up to its NUL; anything after that is left over from longer names.
fn name(bytes: &[u8], damage: &mut Vec<Damage>) -> Option<Located<String>> {
    let field = bytes.get(16..)?;
    let field = field.get(..NAME).unwrap_or(field);
    let length = field.as_chunks::<2>().0.iter().position(|pair| *pair == [0, 0]).map(|units| units * 2);
    let text = length.and_then(|length| field.get(..length)).unwrap_or_else(|| {
        damage.push(Damage::at(16, DamageKind::Unended { what: "the name of the program" }));
        field
    });
    Some(Located::new(utf16(text, 16, "the name of the program", damage), 16, text.len()))
}

/// The offsets of a version's fields, from the start of the file.
struct Layout {
    last_run: usize,
    /// Number of run times.
    runs: usize,
    run_count: usize,
    /// Size of a volume's information in bytes.
    volume: usize,
}

impl Layout {
    /// Returns the layout of each version (sections "File information" and "Volume information").
    fn of(version: u32, bytes: &[u8], damage: &mut Vec<Damage>) -> Layout {
        match version {
            17 => Layout { last_run: 0x78, runs: 1, run_count: 0x90, volume: 40 },
            23 => Layout { last_run: 0x80, runs: 1, run_count: 0x98, volume: 104 },
            26 => Layout { last_run: 0x80, runs: 8, run_count: 0xD0, volume: 104 },
            _ => {
                let metrics = u32_at(bytes, 0x54).unwrap_or_default();
                if !matches!(metrics, SHORT_METRICS | 0x130) {
                    let (expected, actual) = (0x130, metrics.into());
                    let what = "the offset of the file metrics";
                    damage.push(Damage::at(0x54, DamageKind::Field { what, expected, actual }));
                }
                let run_count = if metrics == SHORT_METRICS { 0xC8 } else { 0xD0 };
                Layout { last_run: 0x80, runs: 8, run_count, volume: 96 }
            }
        }
    }

    fn runs(&self, bytes: &[u8]) -> Vec<Located<Filetime>> {
        let all = (0..self.runs).filter_map(|number| located_filetime(bytes, self.last_run + 8 * number));
        all.filter(|time| time.value.0 != 0).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests;
