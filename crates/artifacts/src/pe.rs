//! Windows programs and libraries (PE): what they say about themselves, and what they import.
//!
//! Format: Microsoft, "PE Format" (learn.microsoft.com/windows/win32/debug/pe-format), read with `goblin`.
//! Nothing is verified here: names, versions and times are what the file's author wrote, and a signature is only
//! known to exist.

mod imports;

pub use imports::Imports;

use crate::damage::{Damage, DamageKind};
use crate::fields::{Located, located_u16, located_u32, u16_at, u32_at};
use goblin::pe::options::{ParseMode, ParseOptions};
use goblin::pe::resource::StringFileInfo;
use goblin::pe::{PE, characteristic};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Where the offset of the PE header is stored.
const HEADER_OFFSET: usize = 0x3C;

/// The most section names in the list.
const SECTIONS: usize = 96;

/// The content of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeFile {
    /// The machine type it was built for.
    pub machine: Option<Located<u16>>,
    /// Seconds since 1970 by the clock of whoever linked it, or a hash instead.
    pub timestamp: Option<Located<u32>>,
    /// The subsystem: 1 native, 2 windows, 3 console, and others.
    pub subsystem: Option<Located<u16>>,
    /// Address of its first instruction, relative to its start.
    pub entry_point: Option<Located<u32>>,
    /// Whether it is a library.
    pub is_library: bool,
    /// 32 or 64.
    pub bits: u8,
    /// Names of its sections.
    pub sections: Vec<String>,
    /// What it imports; `None` if that cannot be read.
    pub imports: Option<Imports>,
    /// Number of functions it exports.
    pub exports: usize,
    /// Its own name as a library.
    pub export_name: Option<String>,
    /// The texts of its version resource.
    pub version: Version,
    /// The path of its symbol file when it was linked.
    pub symbols: Option<String>,
    /// Size of its certificate table in bytes.
    pub certificates: Option<u32>,
    /// Bytes after all sections, without the certificates.
    pub overlay: u64,
    /// The damage found in it.
    pub damage: Vec<Damage>,
}

/// Texts of the version resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the text of the resource of the same name")]
pub struct Version {
    pub company_name: Option<String>,
    pub product_name: Option<String>,
    pub file_description: Option<String>,
    pub original_filename: Option<String>,
    pub internal_name: Option<String>,
    pub file_version: Option<String>,
    pub product_version: Option<String>,
}

/// Checks whether the bytes begin like a PE file, as far as they go.
pub fn is_pe(head: &[u8]) -> bool {
    let header = u32_at(head, HEADER_OFFSET).and_then(|at| usize::try_from(at).ok());
    head.starts_with(b"MZ") && header.and_then(|at| u32_at(head, at)) == Some(u32::from_le_bytes(*b"PE\0\0"))
}

/// Reads a file; `None` if it has no header.
///
/// An attacker may have written the file's tables: if the library stops or panics, the header's own fields are
/// still returned.
pub fn read(data: &[u8]) -> Option<PeFile> {
    let mut found = header(data)?;
    let whole = parsed(data, true, &mut found).or_else(|| parsed(data, false, &mut found));
    if whole.is_none() {
        found.damage.push(Damage::at(0, DamageKind::Unended { what: "a table of the program" }));
    }
    Some(found)
}

/// Reads the fields of both headers.
fn header(data: &[u8]) -> Option<PeFile> {
    if !is_pe(data) {
        return None;
    }
    let at = usize::try_from(u32_at(data, HEADER_OFFSET)?).ok()?;
    let optional = at.checked_add(24)?;
    Some(PeFile {
        machine: located_u16(data, at + 4),
        timestamp: located_u32(data, at + 8),
        is_library: u16_at(data, at + 22).is_some_and(characteristic::is_dll),
        bits: if u16_at(data, optional) == Some(0x20B) { 64 } else { 32 },
        entry_point: located_u32(data, optional.checked_add(16)?),
        subsystem: located_u16(data, optional.checked_add(68)?),
        ..PeFile::default()
    })
}

/// Reads the tables, with or without those that are most often damaged on purpose.
fn parsed(data: &[u8], all: bool, found: &mut PeFile) -> Option<()> {
    let mut options = ParseOptions::default().with_parse_mode(ParseMode::Permissive);
    options.parse_attribute_certificates = false;
    options.parse_tls_data = false;
    options.parse_resources = all;
    options.parse_imports = all;
    let parse = || PE::parse_with_opts(data, &options).ok().map(|pe| tables(&pe, data, all, found));
    let done = catch_unwind(AssertUnwindSafe(parse)).ok().flatten();
    if done.is_some() && !all {
        found.damage.push(Damage::at(0, DamageKind::Unended { what: "the imports or the resources" }));
    }
    done
}

fn tables(pe: &PE<'_>, data: &[u8], all: bool, found: &mut PeFile) {
    let name = |name: &[u8; 8]| String::from_utf8_lossy(name).trim_end_matches('\0').to_owned();
    let named = pe.sections.iter().take(SECTIONS);
    found.sections = named.map(|one| one.real_name.clone().unwrap_or_else(|| name(&one.name))).collect();
    found.imports = all.then(|| Imports::of(pe));
    found.exports = pe.exports.len();
    found.export_name = pe.name.filter(|name| !name.is_empty()).map(str::to_owned);
    let symbols = pe.debug_data.as_ref().and_then(|debug| debug.codeview_pdb70_debug_info.as_ref());
    found.symbols = symbols.map(|symbols| text_to_nul(symbols.filename)).filter(|path| !path.is_empty());
    let version = pe.resource_data.as_ref().and_then(|resources| resources.version_info.as_ref());
    found.version = version.map(|version| Version::of(&version.string_info)).unwrap_or_default();
    let optional = pe.header.optional_header.as_ref();
    let certificates = optional.and_then(|optional| optional.data_directories.get_certificate_table());
    found.certificates = certificates.map(|table| table.size).filter(|size| *size > 0);
    let ends = pe.sections.iter().map(|one| {
        let held = u64::from(one.size_of_raw_data);
        if held == 0 { 0 } else { u64::from(one.pointer_to_raw_data) + held }
    });
    let (end, available) = (ends.max().unwrap_or_default(), data.len());
    if end > available as u64 {
        let length = usize::try_from(end).unwrap_or(usize::MAX);
        found
            .damage
            .push(Damage::at(0, DamageKind::Outside { what: "all sections together", length, available }));
    }
    let behind = (available as u64).saturating_sub(end);
    found.overlay = behind.saturating_sub(found.certificates.unwrap_or_default().into());
}

impl Version {
    fn of(info: &StringFileInfo<'_>) -> Version {
        let clean = |text: Option<String>| {
            text.map(|text| text.trim_matches('\0').to_owned()).filter(|text| !text.is_empty())
        };
        Version {
            company_name: clean(info.company_name()),
            product_name: clean(info.product_name()),
            file_description: clean(info.file_description()),
            original_filename: clean(info.original_filename()),
            internal_name: clean(info.internal_name()),
            file_version: clean(info.file_version()),
            product_version: clean(info.product_version()),
        }
    }
}

fn text_to_nul(bytes: &[u8]) -> String {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_program_tells_its_headers_sections_imports_and_overlay() {
        let found = read(&testkit::pe::program(b"behind")).unwrap();
        assert_eq!(found.damage, []);
        assert_eq!(found.machine.unwrap().value, 0x014C);
        assert_eq!(found.timestamp.unwrap().value, testkit::pe::LINKED);
        assert_eq!((found.subsystem.unwrap().value, found.bits, found.is_library), (3, 32, false));
        assert_eq!(found.sections, [".text"]);
        let imports = found.imports.unwrap();
        assert_eq!(imports.libraries, ["KERNEL32.dll"]);
        assert_eq!(imports.count, 1);
        assert_eq!(imports.list.unwrap(), "kernel32.exitprocess");
        assert_eq!((found.overlay, found.certificates), (6, None));
    }

    #[test]
    fn what_is_no_program_is_none_and_a_cut_one_is_damaged() {
        assert_eq!(read(b"MZ and nothing more"), None);
        let whole = testkit::pe::program(b"");
        let cut = read(whole.get(..0x200).unwrap()).unwrap();
        assert!(cut.machine.is_some() && !cut.damage.is_empty());
    }

    proptest! {
        #[test]
        fn damaged_programs_are_read_without_panic(seed in 0u64..200) {
            for mutant in testkit::mutate::mutants(&testkit::pe::program(b"x"), seed % 9 + 1) {
                let _ = read(&mutant);
            }
        }
    }
}
