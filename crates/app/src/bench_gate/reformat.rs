//! True values in other spellings, as models write them.

use super::seed::{Base, Maker, Seeded};
use super::values::{ALL, TEXTS};
use ledger::{FieldType, FieldValue};

/// The registry roots, long and short.
const ROOTS: [(&str, &str); 5] = [
    ("HKEY_LOCAL_MACHINE", "HKLM"),
    ("HKEY_CURRENT_USER", "HKCU"),
    ("HKEY_USERS", "HKU"),
    ("HKEY_CLASSES_ROOT", "HKCR"),
    ("HKEY_CURRENT_CONFIG", "HKCC"),
];

/// Hives of the machine, which are mounted under a root by their names.
const MACHINE_HIVES: [&str; 4] = ["SOFTWARE", "SYSTEM", "SAM", "SECURITY"];

pub(super) fn letter_case(maker: &mut Maker<'_>) -> Option<Seeded> {
    let types = [
        FieldType::Name,
        FieldType::Path,
        FieldType::RegistryPath,
        FieldType::Guid,
        FieldType::Sid,
        FieldType::Bytes,
    ];
    let base = maker.base(&types)?;
    let text = match maker.draw.once_in(1, 2) {
        true => base.text().to_ascii_uppercase(),
        false => base.text().to_ascii_lowercase(),
    };
    written(maker, base, text)
}

pub(super) fn hash_case(maker: &mut Maker<'_>) -> Option<Seeded> {
    let base = maker.base(&[FieldType::Hash])?;
    let text = base.text().to_ascii_uppercase();
    written(maker, base, text)
}

pub(super) fn slashes(maker: &mut Maker<'_>) -> Option<Seeded> {
    let base = maker.base(&[FieldType::Path, FieldType::RegistryPath])?;
    let text = base.text();
    let key = base.value()?.field_type() == FieldType::RegistryPath;
    let turned = match (key, text.contains('/')) {
        // In the name of a key, a slash is an ordinary character.
        (true, true) => return None,
        (true, false) => text.replace('\\', "/"),
        (false, true) => text.replace('/', "\\"),
        (false, false) => text.replace('\\', "/"),
    };
    written(maker, base, turned)
}

pub(super) fn json_escapes(maker: &mut Maker<'_>) -> Option<Seeded> {
    let base = maker.base(TEXTS)?;
    let quoted = serde_json::to_string(base.text()).ok()?;
    let text = quoted.strip_prefix('"')?.strip_suffix('"')?.to_owned();
    written(maker, base, text)
}

pub(super) fn white_space(maker: &mut Maker<'_>) -> Option<Seeded> {
    let base = maker.base(ALL)?;
    let text = base.text();
    let text = match maker.draw.below(4) {
        0 => format!(" {text}"),
        1 => format!("{text} "),
        2 => format!("{text}\n"),
        _ => format!("\t{text}  "),
    };
    written(maker, base, text)
}

pub(super) fn backticks(maker: &mut Maker<'_>) -> Option<Seeded> {
    marked(maker, '`')
}

pub(super) fn double_quotes(maker: &mut Maker<'_>) -> Option<Seeded> {
    marked(maker, '"')
}

pub(super) fn single_quotes(maker: &mut Maker<'_>) -> Option<Seeded> {
    marked(maker, '\'')
}

pub(super) fn guid_braces(maker: &mut Maker<'_>) -> Option<Seeded> {
    let base = maker.base(&[FieldType::Guid])?;
    let text = base.text();
    let bare = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    let text = bare.map_or_else(|| format!("{{{text}}}"), str::to_owned);
    written(maker, base, text)
}

pub(super) fn hive_alias(maker: &mut Maker<'_>) -> Option<Seeded> {
    let base = maker.base(&[FieldType::RegistryPath])?;
    let (first, rest) = base.text().split_once('\\')?;
    let is_first = |name: &str| name.eq_ignore_ascii_case(first);
    let other = ROOTS.iter().find_map(|(long, short)| match (is_first(long), is_first(short)) {
        (true, _) => Some(short),
        (_, true) => Some(long),
        (false, false) => None,
    })?;
    let text = format!("{other}\\{rest}");
    written(maker, base, text)
}

/// Writes a key as the registry editor shows it, with the mount point of its hive.
pub(super) fn hive_mounted(maker: &mut Maker<'_>) -> Option<Seeded> {
    let base = maker.base(&[FieldType::RegistryPath])?;
    let file = base.seen.record.locator.path.rsplit('/').next()?;
    let hive = MACHINE_HIVES.iter().find(|hive| hive.eq_ignore_ascii_case(file))?;
    let first = base.text().split('\\').next()?;
    let rooted =
        ROOTS.iter().any(|(long, short)| [long, short].iter().any(|it| it.eq_ignore_ascii_case(first)));
    if rooted {
        return None;
    }
    let root = if maker.draw.once_in(1, 2) { "HKLM" } else { "HKEY_LOCAL_MACHINE" };
    let text = format!("{root}\\{hive}\\{}", base.text());
    written(maker, base, text)
}

/// Writes a path that begins with a drive's folder with the drive letter.
pub(super) fn drive_letter(maker: &mut Maker<'_>) -> Option<Seeded> {
    let base = maker.base(&[FieldType::Path])?;
    let (drive, rest) = base.text().split_once('/')?;
    let is_drive = drive.len() == 1 && drive.starts_with(|c: char| c.is_ascii_alphabetic());
    let text = is_drive.then(|| format!("{drive}:\\{}", rest.replace('/', "\\")))?;
    written(maker, base, text)
}

pub(super) fn hexadecimal(maker: &mut Maker<'_>) -> Option<Seeded> {
    let base = maker.base(&[FieldType::Integer, FieldType::Size])?;
    let number = number(&base)?;
    let text = if maker.draw.once_in(1, 2) { format!("0x{number:x}") } else { format!("0x{number:08X}") };
    written(maker, base, text)
}

pub(super) fn size_in_bytes(maker: &mut Maker<'_>) -> Option<Seeded> {
    let base = maker.base(&[FieldType::Size])?;
    let text = format!("{} bytes", base.text());
    written(maker, base, text)
}

pub(super) fn size_grouped(maker: &mut Maker<'_>) -> Option<Seeded> {
    let base = maker.base(&[FieldType::Size])?;
    let digits = base.text();
    let comma = |place: usize| place > 0 && (digits.len() - place).is_multiple_of(3);
    let text: String = digits
        .char_indices()
        .flat_map(|(place, digit)| comma(place).then_some(',').into_iter().chain([digit]))
        .collect();
    written(maker, base, text)
}

fn number(base: &Base<'_>) -> Option<u64> {
    match base.value()? {
        FieldValue::Integer(number) => u64::try_from(*number).ok(),
        FieldValue::Size(number) => Some(*number),
        _ => None,
    }
}

fn marked(maker: &mut Maker<'_>, mark: char) -> Option<Seeded> {
    let base = maker.base(ALL)?;
    let text = format!("{mark}{}{mark}", base.text());
    written(maker, base, text)
}

/// Writes the main value of a true reading in this way; half of the time also its subject, if it is the same text.
pub(super) fn written(maker: &mut Maker<'_>, base: Base<'_>, text: String) -> Option<Seeded> {
    if text == base.text() {
        return None;
    }
    let mut base = base;
    // The type determines which spellings are allowed.
    let of_type = |value: &FieldValue| value.field_type();
    let same_type = base.seen.subject.map(of_type) == base.value().map(of_type);
    if same_type && base.reading.subject == base.text() && maker.draw.once_in(1, 2) {
        base.reading.subject = text.clone();
    }
    Some(base.with(text).truth())
}
