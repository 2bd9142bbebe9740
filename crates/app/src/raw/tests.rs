//! Values in raw bytes: found in each encoding, and not found where they are absent.

use super::stands::{Hay, stands};
use super::*;
use ledger::{
    AssumedZone, Clock, Digest, IdSpace, Locator, Precision, Predicate, RecordId, Seed, Tier, Time, Utc,
};
use proptest::prelude::*;

/// Returns other bytes with a value in the middle.
fn among(value: &[u8]) -> Hay {
    let noise: Vec<u8> = (0..300u32).map(|place| (place.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    Hay::new([&noise[..150], value, &noise[150..]].concat())
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn time(utc: &str, raw: &str, precision: Precision) -> FieldValue {
    let utc: Option<Utc> = Some(utc.parse().unwrap());
    FieldValue::Time(Time { utc, raw: raw.into(), clock: Clock::Host, precision, zone: None })
}

#[test]
fn a_value_is_found_in_each_way_that_evidence_writes_it() {
    let path = FieldValue::Path(r"C:\Users\mara\Ünter.exe".into());
    let guid = FieldValue::Guid("{6BFF5E41-0A2B-4C3D-9E8F-112233445566}".into());
    let mixed =
        [0x41, 0x5E, 0xFF, 0x6B, 0x2B, 0x0A, 0x3D, 0x4C, 0x9E, 0x8F, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66];
    let sid = FieldValue::Sid("S-1-5-21-1000000-2000000-3000000-1104".into());
    let mut binary_sid = vec![1, 5, 0, 0, 0, 0, 0, 5];
    for sub in [21u32, 1_000_000, 2_000_000, 3_000_000, 1104] {
        binary_sid.extend(sub.to_le_bytes());
    }
    let instant = || time("2012-04-04T01:58:40.8392490Z", "none", Precision::Filetime);
    let seconds = || time("2012-04-04T01:58:40Z", "none", Precision::Second);
    let filetime = 129_779_783_208_392_490u64;
    let ole = (1_333_504_720.839_249 / 86_400.0 + 25_569.0_f64).to_le_bytes();
    // 2012-04-04 01:58:40: (32 << 9 | 4 << 5 | 4) and (1 << 11 | 58 << 5 | 20).
    let (date, clock) = (0x4084u16.to_le_bytes(), 0x0F54u16.to_le_bytes());
    let system: Vec<u8> = [2012u16, 4, 3, 4, 1, 58, 40].iter().flat_map(|part| part.to_le_bytes()).collect();
    let number = FieldValue::Integer(0x1234_5678);
    let table: Vec<(FieldValue, Vec<u8>, &str)> = vec![
        (path.clone(), r"c:\users\MARA\Ünter.exe".into(), "UTF-8"),
        (path.clone(), utf16(r"c:\users\MARA\Ünter.exe"), "UTF-16LE"),
        (path.clone(), r"C:\Users\mara\".bytes().chain([0xDC]).chain(*b"nter.exe").collect(), "Latin-1"),
        (path.clone(), r"C:\\Users\\mara\\Ünter.exe".into(), "UTF-8, escaped"),
        (path, utf16(r"P:\Hfref\znen\Üagre.rkr"), "ROT13 in UTF-16LE"),
        (
            FieldValue::Path("C/Users/mara".into()),
            r"C:\Users\mara".replace(':', "").into(),
            "UTF-8, backslashes",
        ),
        (FieldValue::Text("a & <b> of it".into()), "a &amp; &lt;b&gt; of it".into(), "UTF-8, XML"),
        (guid.clone(), mixed.to_vec(), "binary GUID"),
        (guid.clone(), utf16("6bff5e41-0a2b-4c3d-9e8f-112233445566"), "UTF-16LE"),
        (
            guid,
            [0x6B, 0xFF, 0x5E, 0x41]
                .iter()
                .copied()
                .chain([0x0A, 0x2B, 0x4C, 0x3D])
                .chain(mixed[8..].iter().copied())
                .collect(),
            "binary GUID, big-endian",
        ),
        (sid.clone(), binary_sid, "binary SID"),
        (sid, b"S-1-5-21-1000000-2000000-3000000-1104".to_vec(), "UTF-8"),
        (
            FieldValue::Hash("00ff10aabbccddee0011223344556677".into()),
            b"\x00\xff\x10\xaa\xbb\xcc\xdd\xee\x00\x11\x22\x33\x44\x55\x66\x77".to_vec(),
            "binary hash",
        ),
        (FieldValue::Bytes("0102030405060708".into()), vec![1, 2, 3, 4, 5, 6, 7, 8], "bytes"),
        (
            FieldValue::Name("00-18-f8-ea-2e-a2".into()),
            vec![0, 0x18, 0xF8, 0xEA, 0x2E, 0xA2],
            "binary MAC address",
        ),
        (instant(), filetime.to_le_bytes().to_vec(), "FILETIME"),
        (
            instant(),
            filetime.to_le_bytes()[4..].iter().chain(&filetime.to_le_bytes()[..4]).copied().collect(),
            "FILETIME, upper half first",
        ),
        (instant(), (filetime / 10).to_be_bytes().to_vec(), "microseconds since 1601"),
        (instant(), 1_333_504_720_839u64.to_le_bytes().to_vec(), "Unix milliseconds"),
        (instant(), b"1333504720839249".to_vec(), "Unix microseconds"),
        (instant(), ole.to_vec(), "OLE date"),
        (seconds(), 1_333_504_720u32.to_le_bytes().to_vec(), "Unix seconds"),
        (seconds(), 1_333_504_720u32.to_be_bytes().to_vec(), "Unix seconds"),
        (seconds(), [date, clock].concat(), "FAT date and time"),
        (seconds(), [clock, date].concat(), "FAT date and time"),
        (seconds(), system.clone(), "SYSTEMTIME"),
        (seconds(), b"04/04/2012 01:58:40".to_vec(), "UTF-8"),
        (
            time("2012-04-04T01:58:40Z", "04.Apr.2012 03:58:40 +0200", Precision::Second),
            b"04.Apr.2012 03:58:40 +0200".to_vec(),
            "UTF-8",
        ),
        (FieldValue::Text("2012-04-04T01:58:40.123".into()), system, "SYSTEMTIME"),
        (number.clone(), 0x1234_5678u32.to_le_bytes().to_vec(), "little-endian"),
        (number.clone(), 0x1234_5678u64.to_be_bytes().to_vec(), "big-endian"),
        (number.clone(), b"305419896".to_vec(), "decimal digits"),
        (number, utf16("0x12345678"), "hex digits in UTF-16LE"),
        (
            FieldValue::List(vec!["10.0.0.1".into(), "10.0.0.2".into()]),
            utf16("10.0.0.2\x0010.0.0.1"),
            "UTF-16LE",
        ),
    ];
    for (value, bytes, encoding) in table {
        assert_eq!(stands(&value, &among(&bytes), false), Some(encoding), "{value:?}");
        assert_eq!(stands(&value, &among(b""), false), None, "{value:?}");
        assert_eq!(stands(&value, &Hay::new(Vec::new()), true), None, "{value:?}");
    }
}

#[test]
fn what_says_little_is_found_only_where_it_fills_the_bytes_of_its_own_field() {
    let one = FieldValue::Integer(1);
    let own = |bytes: &[u8], value: &FieldValue| stands(value, &Hay::new(bytes.to_vec()), true);
    assert_eq!(own(&[1, 0, 0, 0], &one), Some("little-endian"));
    assert_eq!(own(&[0, 1], &one), Some("big-endian"));
    assert_eq!(own(&[1, 1, 0, 0], &one), None);
    let twelve = FieldValue::Integer(12);
    assert_eq!(own(&utf16("12\0"), &twelve), Some("decimal digits in UTF-16LE"));
    assert_eq!(stands(&one, &Hay::new(vec![1, 0, 0, 0]), false), None);
    let name = FieldValue::Name("Run".into());
    assert_eq!(own(b"run\0", &name), Some("UTF-8"));
    assert_eq!(own(b"run time", &name), None);
    assert_eq!(own(&[0; 4], &FieldValue::Flag(false)), Some("little-endian"));
    assert_eq!(own(&utf16("TRUE"), &FieldValue::Flag(true)), Some("UTF-16LE"));
    // A single bit among others has to be decoded.
    assert_eq!(own(&[0x10, 0, 0, 0], &FieldValue::Flag(true)), None);
    assert_eq!(own(b"", &FieldValue::Text(String::new())), None);
    // Digits of a longer number do not count.
    let number = FieldValue::Integer(1_234_567_890);
    for (text, found) in [("at 1234567890,", true), ("at 11234567890", false), ("1234567890abc", false)] {
        assert_eq!(stands(&number, &Hay::new(text.into()), false).is_some(), found, "{text}");
        assert_eq!(stands(&number, &Hay::new(utf16(text)), false).is_some(), found, "{text}");
    }
}

#[test]
fn letter_case_counts_in_texts_and_not_in_names() {
    let hay = among(b"ScannerService");
    assert!(stands(&FieldValue::Name("scannerservice".into()), &hay, false).is_some());
    assert!(stands(&FieldValue::Text("scannerservice".into()), &hay, false).is_none());
    // The upper byte of a unit is not a letter.
    let [a, b] = ["\u{6141}\u{6142}\u{6143}\u{6144}\u{6145}", "\u{4141}\u{4142}\u{4143}\u{4144}\u{4145}"];
    assert!(stands(&FieldValue::Name(a.into()), &among(&utf16(b)), false).is_none());
}

proptest! {
    #[test]
    fn a_number_that_is_not_there_is_not_found(number in any::<i64>(), cut in 0u32..40, bytes in prop::collection::vec(0u8..4, 0..200)) {
        let number = number >> cut;
        let written = number.to_le_bytes();
        let there = [8, 6, 4, 3, 2, 1].into_iter().any(|width| {
            let little = &written[..width];
            let big: Vec<u8> = little.iter().rev().copied().collect();
            bytes.windows(width).any(|window| window == little || window == big)
        });
        // The bytes contain no digit.
        let found = stands(&FieldValue::Integer(number.into()), &Hay::new(bytes), false);
        prop_assert!(there || found.is_none(), "{found:?}");
    }

    #[test]
    fn a_text_is_found_where_it_stands_and_nowhere_else(text in "[a-z]{6,20}", other in "[A-Z0-9 ]{0,60}", upper: bool) {
        let written = if upper { text.to_uppercase() } else { text.clone() };
        let value = FieldValue::Name(text.clone());
        let with = format!("{other}{written}{other}");
        prop_assert!(stands(&value, &Hay::new(with.clone().into_bytes()), false).is_some());
        prop_assert!(stands(&value, &Hay::new(utf16(&with)), false).is_some());
        let there = |text: &str| other.to_lowercase().contains(text);
        let rotated: String = text.chars().map(|c| char::from((c as u8 - b'a' + 13) % 26 + b'a')).collect();
        if !there(&text) && !there(&rotated) {
            prop_assert_eq!(stands(&value, &Hay::new(other.clone().into_bytes()), false), None);
            prop_assert_eq!(stands(&value, &Hay::new(utf16(&other)), true), None);
        }
    }

    #[test]
    fn any_bytes_are_looked_into_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..80), text in ".{0,30}", raw in ".{0,20}", number: i64, own: bool) {
        let hay = Hay::new(bytes);
        let utc = Utc::from_unix_nanoseconds(number.into());
        let zone = Some(AssumedZone::Utc);
        let time = Time { utc, raw, clock: Clock::Host, precision: Precision::Day, zone };
        for value in [
            FieldValue::Text(text.clone()),
            FieldValue::Sid(text.clone()),
            FieldValue::Guid(text.clone()),
            FieldValue::Hash(text.clone()),
            FieldValue::Time(time),
            FieldValue::Integer(number.into()),
            FieldValue::List(vec![text]),
        ] {
            let _ = stands(&value, &hay, own);
        }
    }
}

fn bound(field: &str, value: &str, at: Option<ByteSpan>) -> BoundValue {
    BoundValue {
        field: field.into(),
        value: FieldValue::Text(value.into()),
        quotation: None,
        tier: Tier::Exact,
        span: ByteSpan::new(0, 0),
        at,
        writer: None,
    }
}

fn fact(span: Option<ByteSpan>, values: Vec<BoundValue>) -> FactEntry {
    let ids = IdSpace::new(Seed(Digest::of(b"raw")));
    FactEntry {
        placement: None,
        id: FactId::assign(&ids, TaskId(1), 0).unwrap(),
        predicate: Predicate::quoted(),
        subject: BoundValue { value: FieldValue::Path("C/a.log".into()), ..bound("path", "", None) },
        values,
        invocation: ledger::InvocationId::assign(&ids, TaskId(1), 0).unwrap(),
        output: Digest::of(b""),
        record: RecordId(0),
        kind: "text_line".into(),
        locator: Locator { evidence: "e".into(), path: "C/a.log".into(), stream: None, span },
        shown: true,
    }
}

/// Returns the results for facts over a file with this content.
fn over(content: &[u8], facts: Vec<FactEntry>) -> Vec<RawFound> {
    let read = |wanted: &[WantedSpan]| {
        let one = |wanted: &WantedSpan| {
            let (from, to) = (wanted.span.offset as usize, wanted.span.end() as usize);
            match content.get(from..to) {
                Some(bytes) => SpanRead::Bytes(bytes.to_vec()),
                None => SpanRead::Failed { reason: "there are too few bytes".into() },
            }
        };
        Ok(wanted.iter().map(one).collect())
    };
    let facts: Vec<_> = facts.into_iter().map(|fact| (TaskId(1), fact)).collect();
    look(&facts, read, &|_| ()).unwrap().into_iter().map(|fact| fact.found).collect()
}

#[test]
fn a_fact_is_as_close_to_its_bytes_as_its_values_are() {
    let line = ByteSpan::new(4, 20);
    let whole = "the scanner was here";
    let content = format!("xxxx{whole}yyyy");
    let no_span = fact(None, vec![bound("text", whole, None)]);
    let literal = fact(Some(line), vec![bound("text", whole, Some(line))]);
    let quoted =
        BoundValue { quotation: Some("scanner was".into()), ..bound("text", "decoded otherwise", None) };
    let quoted = fact(Some(line), vec![quoted]);
    let partly = fact(Some(line), vec![bound("text", whole, None), bound("user", "somebody", None)]);
    let decoded = fact(Some(line), vec![bound("user", "somebody", None)]);
    let past = fact(Some(ByteSpan::new(20, 9)), vec![bound("text", whole, None)]);
    let field_past = fact(Some(line), vec![bound("text", whole, Some(ByteSpan::new(100, 1)))]);
    let found = over(content.as_bytes(), vec![no_span, literal, quoted, partly, decoded, past, field_past]);
    assert_eq!(
        found[..5],
        [RawFound::NoSpan, RawFound::Literal, RawFound::Literal, RawFound::Partly, RawFound::Decoded]
    );
    assert!(found[5..].iter().all(|found| matches!(found, RawFound::Unreadable { .. })), "{found:?}");
}

#[test]
fn no_request_asks_for_more_than_one_may() {
    let one = |place: u64| fact(Some(ByteSpan::new(place, LONGEST_SPAN)), vec![]);
    let facts: Vec<_> = (0..600).map(|place| (TaskId(1), one(place))).collect();
    let mut asked = 0;
    let read = |wanted: &[WantedSpan]| {
        assert!(wanted.len() <= MOST_SPANS);
        assert!(wanted.iter().map(|wanted| wanted.span.length).sum::<u64>() <= MOST_SPAN_BYTES);
        asked += wanted.len();
        Ok(wanted.iter().map(|_| SpanRead::Bytes(vec![0])).collect())
    };
    assert_eq!(look(&facts, read, &|_| ()).unwrap().len(), 600);
    assert_eq!(asked, 600);
}
