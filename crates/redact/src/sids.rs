//! Spellings of SIDs other than `S-1-5-21-…`.

/// The beginning of a SID of a computer, a domain or a tenant, in lower case.
const BEGINS: [&str; 2] = ["s-1-5-21-", "s-1-12-1-"];
/// Separators of a SID's numbers, including the usual hyphen.
const JOINS: [&str; 4] = ["-", "_", ".", " "];
/// Separators of bytes: registry exports, dumps, LDAP filters.
const BETWEEN: [&str; 7] = ["", " ", ",", ":", "-", "\\", ", "];
/// The fewest digits of the numbers that identify a SID without its beginning: fewer are a version, or a date.
const LONG: usize = 16;
/// The fewest numbers after the beginning that distinguish one SID from another.
const TELLING: usize = 3;

/// The other spellings of a SID, in lower case; none if the value is not a SID.
#[derive(Debug, Default)]
pub(crate) struct Spellings {
    /// Its numbers, with or without the part that all SIDs of its kind begin with.
    pub(crate) numbers: Vec<String>,
    /// Its bytes, in hex digits and base64.
    pub(crate) bytes: Vec<String>,
}

pub(crate) fn spellings(value: &str) -> Spellings {
    let value = value.trim().to_lowercase();
    let begins = BEGINS.iter().find_map(|it| Some((*it, value.strip_prefix(it)?)));
    let Some((begins, rest)) = begins else { return Spellings::default() };
    let numbers: Vec<&str> = rest.split('-').collect();
    let parsed = numbers.iter().map(|it| it.parse().ok()).collect::<Option<Vec<u32>>>();
    let Some(parsed) = parsed.filter(|_| numbers.len() >= TELLING) else { return Spellings::default() };
    let mut all = Spellings::default();
    // For an account, the numbers of its computer or domain reveal as much.
    for length in [numbers.len(), TELLING] {
        let (own, parsed) = (numbers.get(..length), parsed.get(..length));
        all.numbers.extend(own.map(|own| in_numbers(begins, own)).unwrap_or_default());
        all.bytes.extend(parsed.map(|own| in_bytes(begins, own)).unwrap_or_default());
    }
    let is_long = |it: &str| it.bytes().filter(u8::is_ascii_digit).count() >= LONG;
    all.numbers.retain(|it| *it != value && (it.starts_with('s') || is_long(it)));
    all
}

/// Returns the SID complete, without `S-1-`, without `S-1-5-`, and reduced to the domain's and the account's own
/// numbers.
fn in_numbers(begins: &str, own: &[&str]) -> Vec<String> {
    let bare = begins.trim_start_matches("s-1-").trim_end_matches('-');
    let (authority, first) = bare.split_once('-').unwrap_or((bare, ""));
    let begun = [format!("s-1-{authority}-{first}-"), format!("{authority}-{first}-"), format!("{first}-")];
    let by = |between: &str| -> Vec<String> {
        let own = own.join(between);
        let all = begun.iter().map(|it| format!("{}{own}", it.replace('-', between)));
        all.chain([own.clone()]).collect()
    };
    JOINS.iter().flat_map(|between| by(between)).collect()
}

/// Returns the bytes of a SID in hex digits and base64: complete, and without the part that all SIDs of its kind
/// begin with.
fn in_bytes(begins: &str, numbers: &[u32]) -> Vec<String> {
    let (authority, first) = if begins.starts_with("s-1-12") { (12, 1) } else { (5, 21) };
    let own: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let count = u8::try_from(numbers.len() + 1).unwrap_or(u8::MAX);
    let mut whole = vec![1, count, 0, 0, 0, 0, 0, authority];
    whole.extend(u32::to_le_bytes(first));
    whole.extend(&own);
    let mut all = Vec::new();
    for bytes in [&whole, &own] {
        let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        all.extend(BETWEEN.map(|between| digits.join(between)));
        all.extend((0..3).map(|before| base64(bytes, before)));
    }
    all
}

/// Returns the base64 form of bytes that follow `before` other bytes, without the digits shared with
/// neighbouring bytes, in lower case.
fn base64(bytes: &[u8], before: usize) -> String {
    const DIGITS: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz0123456789+/";
    let padded: Vec<u8> = std::iter::repeat_n(0, before).chain(bytes.iter().copied()).collect();
    let digits = padded.chunks(3).flat_map(|group| {
        let word = group.iter().chain(&[0, 0]).take(3).fold(0u32, |word, byte| word << 8 | u32::from(*byte));
        [18, 12, 6, 0].map(|shift| DIGITS.get((word >> shift) as usize & 63).copied().unwrap_or(b'a'))
    });
    let (from, to) = ((before * 8).div_ceil(6), padded.len() * 8 / 6);
    digits.take(to).skip(from).map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    #[test]
    fn a_sid_is_spelled_in_every_way() {
        let Spellings { numbers, bytes } = spellings("S-1-5-21-1391846017-2755219433-3320145571-1107");
        let all = [numbers, bytes].concat();
        for expected in [
            "s_1_5_21_1391846017_2755219433_3320145571_1107",
            "21-1391846017-2755219433-3320145571-1107",
            "5-21-1391846017-2755219433-3320145571-1107",
            "1391846017-2755219433-3320145571-1107",
            "1391846017-2755219433-3320145571",
            "01050000000000051500000081e2f552e94f39a4a366e5c553040000",
            "81,e2,f5,52,e9,4f,39,a4,a3,66,e5,c5,53,04,00,00",
            r"01\05\00\00\00\00\00\05\15\00\00\00\81\e2\f5\52\e9\4f\39\a4\a3\66\e5\c5\53\04\00\00",
        ] {
            assert!(all.iter().any(|it| it == expected), "{expected}: {all:?}");
        }
        for value in ["S-1-5-18", "S-1-5-21-1-2", "S-1-5-21-x-2-3", "ann"] {
            let all = spellings(value);
            assert!(all.numbers.is_empty() && all.bytes.is_empty(), "{value}");
        }
    }

    #[test]
    fn bytes_are_found_in_base64_wherever_they_stand() {
        let bytes: Vec<u8> = (200..216).collect();
        for before in 0..6 {
            let text = STANDARD.encode([&vec![7; before][..], &bytes, &[9]].concat()).to_lowercase();
            assert!(text.contains(&base64(&bytes, before % 3)), "{before}");
        }
    }
}
