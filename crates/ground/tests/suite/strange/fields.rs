//! The contents of fields: small stocks of values that are nearly alike.

use super::chance::Chance;
use ledger::{AssumedZone, Clock, FieldValue, Precision, Time, Utc};

const PATHS: [&str; 12] = [
    r"C:\Users\bob\tool.exe",
    r"C:\Users\bob\tool.ex",
    r"C:\Users\bob\tool2.exe",
    r"C:\Users\Bob Smith\to do.txt",
    r"D:\Users\bob\tool.exe",
    "Users/bob/tool.exe",
    "Users/bob",
    r"\\host\share\tool.exe",
    r"C:\new\table.txt",
    "Users/bob/Größe.txt",
    "srv",
    r"\VOLUME{01d9-9c8b}\USERS\BOB\TOOL.EXE",
];
const KEYS: [&str; 8] = [
    r"HKLM\SOFTWARE\Acme\Run",
    r"HKLM\SOFTWARE\Acme\RunOnce",
    r"HKEY_LOCAL_MACHINE\SOFTWARE\Acme\Run2",
    r"HKU\S-1-5-18\Software\Acme",
    r"Software\Acme\Run",
    r"Software\a/b",
    r"Software\a\b",
    r"ControlSet001\Services\new",
];
const NAMES: [&str; 10] =
    ["tool.exe", "Tool", "bob", "alice", "administrator", "Straße", "kelvin", "x", "svc_backup", "7"];
const ADDRESSES: [&str; 8] = [
    "10.0.0.5",
    "10.0.0.50",
    "110.0.0.5",
    "2001:db8::ff00:42:8329",
    "fe80::1",
    "::ffff:10.0.0.5",
    "WKS-0042",
    "127.0.0.1",
];
const TEXTS: [&str; 14] = [
    "the service was not started",
    "the service was started at 10.0.0.5 in 1.5 seconds",
    r#""C:\Users\bob\tool.exe" -silent"#,
    "cmd.exe /c whoami /all",
    "cmd.exe /c whoami",
    "retry",
    "two  blanks and\ta tab",
    "first line\nsecond line",
    "ends with a period.",
    "300",
    "tool.exe",
    r"see C:\Policies\remote.pdf and backup2",
    "user's “quoted” words, naïve",
    "10.0.0.5",
];
const HASHES: [&str; 4] = [
    "9e107d9d372bb6826bd81d3542a419d6",
    "9e107d9d372bb6826bd81d3542a419d7",
    "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
    "00000000000000000000000000000000",
];
const SIDS: [&str; 4] = [
    "S-1-5-18",
    "S-1-5-21-1004336348-1177238915-682003330-1001",
    "S-1-5-21-1004336348-1177238915-682003330-100",
    "S-1-5-32-544",
];
const GUIDS: [&str; 3] = [
    "{0b2c9183-c9fa-4c53-ae21-c900b0c39965}",
    "0B2C9183-C9FA-4C53-AE21-C900B0C39966",
    "{0B2C9183-C9FA-4C53-AE21-C900B0C39967}",
];
const NUMBERS: [i128; 12] =
    [0, 1, 3, 4, 7, 300, 301, 4624, 48_213, 104_857_600, -1, 18_446_744_073_709_551_615];

/// Returns a value for a field of this name.
pub fn value(chance: &mut Chance, field: &str) -> FieldValue {
    let text = |chance: &mut Chance, stock: &[&str]| (*chance.of(stock)).to_owned();
    match field {
        "path" | "parent" => FieldValue::Path(text(chance, &PATHS)),
        "key" => FieldValue::RegistryPath(text(chance, &KEYS)),
        "name" | "account" => FieldValue::Name(text(chance, &NAMES)),
        "stream" => FieldValue::Name(text(chance, &["Zone.Identifier", "ads", "tool.exe"])),
        "outcome" => FieldValue::Name(text(chance, &["ran", "blocked", "denied", "allowed"])),
        "address" | "source" => FieldValue::Name(text(chance, &ADDRESSES)),
        "text" | "note" => FieldValue::Text(text(chance, &TEXTS)),
        "hash" => FieldValue::Hash(text(chance, &HASHES)),
        "sid" => FieldValue::Sid(text(chance, &SIDS)),
        "guid" => FieldValue::Guid(text(chance, &GUIDS)),
        "bytes" => FieldValue::Bytes(text(chance, &["00ff", "deadbeef", "deadbeef00"])),
        "hidden" => FieldValue::Flag(chance.one_in(2)),
        "size" => FieldValue::Size(*chance.of(&[0, 4, 300, 301, 73_802, 1_048_576, u64::MAX])),
        "start" => FieldValue::Integer(i128::from(chance.from(0, 5))),
        "code" => FieldValue::Integer(*chance.of(&NUMBERS)),
        "streams" => FieldValue::List((0..chance.from(0, 4)).map(|_| text(chance, &NAMES)).collect()),
        "data" => match chance.below(4) {
            0 => FieldValue::Integer(*chance.of(&NUMBERS)),
            1 => FieldValue::List(vec![text(chance, &TEXTS), text(chance, &NAMES)]),
            2 => FieldValue::Bytes(text(chance, &["00ff", "deadbeef"])),
            _ => FieldValue::Text(text(chance, &TEXTS)),
        },
        "modified" | "born" | "time" => FieldValue::Time(time(chance)),
        "copied" => FieldValue::Time(Time { clock: Clock::CollectionCopy, ..time(chance) }),
        "local" => FieldValue::Time(Time { zone: Some(AssumedZone::Utc), ..time(chance) }),
        other => panic!("no stock for {other}"),
    }
}

/// Returns one of several instants close together, at the precision of some source.
pub fn time(chance: &mut Chance) -> Time {
    let precision = *chance.of(&[
        Precision::Filetime,
        Precision::Filetime,
        Precision::Second,
        Precision::Microsecond,
        Precision::Millisecond,
        Precision::TwoSeconds,
        Precision::Day,
        Precision::Nanosecond,
    ]);
    if chance.one_in(12) {
        return Time::from_filetime(*chance.of(&[0, u64::MAX]));
    }
    let second: i128 = 1_709_648_550 + *chance.of(&[0, 1, 2, 60, 3600, 7200, 86_400]);
    let part = *chance.of(&[0, 1, 123_456_700, 500_000_000, 999_999_999]);
    let step = precision.nanoseconds();
    let nanoseconds = (second * 1_000_000_000 + part).div_euclid(step) * step;
    let raw = match precision {
        Precision::Filetime => (nanoseconds / 100 + 116_444_736_000_000_000).to_string(),
        Precision::Day => format!("fat {}", nanoseconds / step),
        _ => (nanoseconds / step).to_string(),
    };
    Time { utc: Utc::from_unix_nanoseconds(nanoseconds), raw, clock: Clock::Host, precision, zone: None }
}
