//! Dates and times of day as people write them.

const MONTHS: [[&str; 3]; 12] = [
    ["january", "jan", "januar"],
    ["february", "feb", "februar"],
    ["march", "mar", "märz"],
    ["april", "apr", "april"],
    ["may", "may", "mai"],
    ["june", "jun", "juni"],
    ["july", "jul", "juli"],
    ["august", "aug", "august"],
    ["september", "sep", "sept"],
    ["october", "oct", "oktober"],
    ["november", "nov", "november"],
    ["december", "dec", "dezember"],
];

pub(super) fn digits(text: &str, most: u32) -> Option<u32> {
    let is_number = !text.is_empty() && text.len() <= 4 && text.bytes().all(|it| it.is_ascii_digit());
    text.parse().ok().filter(|number| is_number && *number <= most)
}

pub(super) fn year(text: &str) -> Option<&str> {
    digits(text, 2200).filter(|year| *year >= 1970).map(|_| text)
}

pub(super) fn month(text: &str) -> Option<usize> {
    MONTHS.iter().position(|names| names.contains(&text)).map(|place| place + 1)
}

pub(super) fn day(text: &str) -> Option<u32> {
    let bare = ["st", "nd", "rd", "th"].into_iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text);
    digits(bare, 31).filter(|day| *day > 0)
}

/// Reads `2022-05-04` or `2022-05`, with or without a time of day.
pub(super) fn iso(text: &str) -> Option<String> {
    let (date, time) = match text.split_once('t') {
        Some((date, time)) => (date, Some(time_of_day(time.trim_end_matches('z'))?)),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let (year, month) = (year(parts.next()?)?, digits(parts.next()?, 12)?);
    let day = parts.next().map(|day| digits(day, 31)).map_or(Some(None), |day| day.map(Some))?;
    let date = match (parts.next(), day) {
        (Some(_), _) => return None,
        (None, Some(day)) => format!("{year}-{month:02}-{day:02}"),
        (None, None) => format!("{year}-{month:02}"),
    };
    Some(time.map_or_else(|| date.clone(), |time| format!("{date}T{time}")))
}

/// Reads `16.09.2025`. With dots, the day always comes first.
pub(super) fn dotted(text: &str) -> Option<String> {
    let mut parts = text.split('.');
    let (day, month, year) = (digits(parts.next()?, 31)?, digits(parts.next()?, 12)?, year(parts.next()?)?);
    parts.next().is_none().then(|| format!("{year}-{month:02}-{day:02}"))
}

/// Reads `03/10/2022`, which is ambiguous unless one of the numbers cannot be a month.
pub(super) fn slashed(text: &str, is_ambiguous: &mut bool) -> Option<String> {
    let mut parts = text.split('/');
    let (first, second, year) =
        (digits(parts.next()?, 31)?, digits(parts.next()?, 31)?, year(parts.next()?)?);
    let (day, month) = match (first, second) {
        (first, second) if first > 12 => (first, second),
        (first, second) if second > 12 => (second, first),
        (first, second) => {
            *is_ambiguous |= first != second;
            (first, second)
        }
    };
    parts.next().is_none().then(|| format!("{year}-{month:02}-{day:02}"))
}

/// Reads `8:26 pm` or `8pm`: how many words it takes, and the time in 24 hours.
pub(super) fn half_day(first: &str, next: &str) -> Option<(usize, String)> {
    let half = |text: &str| match text.trim_matches('.') {
        "am" | "a.m" => Some(0),
        "pm" | "p.m" => Some(12),
        _ => None,
    };
    let written = ["am", "pm"].into_iter().find_map(|end| Some((first.strip_suffix(end)?, half(end)?)));
    let (length, clock, later) = match written {
        Some((clock, later)) => (1, clock, later),
        // In German, `am` stands before a date, so that a bare hour before it is not a time.
        None if first.contains(':') || matches!(next, "pm" | "p.m") => (2, first, half(next)?),
        None => return None,
    };
    let (hour, rest) = clock.split_once(':').map_or((clock, "00"), |(hour, rest)| (hour, rest));
    let hour = digits(hour, 12).filter(|hour| *hour > 0)?;
    let time = time_of_day(&format!("{:02}:{rest}", hour % 12 + later))?;
    Some((length, time))
}

pub(super) fn time_of_day(text: &str) -> Option<String> {
    let text = text.trim_end_matches('z');
    let mut parts = text.split(':');
    let two = |text: &str, most| digits(text, most).filter(|_| text.len() <= 2);
    let (hour, minute) = (two(parts.next()?, 23)?, two(parts.next()?, 59)?);
    let second = parts.next().map(|second| two(second, 59)).map_or(Some(None), |it| it.map(Some))?;
    match (parts.next(), second) {
        (Some(_), _) => None,
        (None, Some(second)) => Some(format!("{hour:02}:{minute:02}:{second:02}")),
        (None, None) => Some(format!("{hour:02}:{minute:02}")),
    }
}
