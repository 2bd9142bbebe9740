//! Parses instants from the command line.

use ledger::Utc;

/// Reads the start of a range of time; a day means its beginning.
pub(crate) fn since(text: &str) -> Result<Utc, String> {
    read(text, "T00:00:00Z")
}

/// Reads the end of a range of time; a day means its end.
pub(crate) fn until(text: &str) -> Result<Utc, String> {
    read(text, "T23:59:59.999999999Z")
}

/// A time with a zone, a time without one (taken as UTC), or a day.
fn read(text: &str, of_day: &str) -> Result<Utc, String> {
    let forms = [text.to_owned(), format!("{text}Z"), format!("{text}{of_day}")];
    let found = forms.iter().find_map(|form| form.parse().ok());
    found.ok_or_else(|| format!("expected a time such as 2025-09-16 or 2025-09-16T09:44:12Z, found {text:?}"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_and_ends_and_a_time_without_a_zone_is_utc() {
        let text = |read: Result<Utc, String>| read.unwrap().to_string();
        assert_eq!(text(since("2025-09-16")), "2025-09-16T00:00:00Z");
        assert_eq!(text(until("2025-09-16")), "2025-09-16T23:59:59.999999999Z");
        assert_eq!(text(since("2025-09-16T09:44:12")), "2025-09-16T09:44:12Z");
        assert_eq!(text(until("2025-09-16T09:44:12+02:00")), "2025-09-16T07:44:12Z");
        for wrong in ["", "yesterday", "2025-13-01", "09:44"] {
            assert!(since(wrong).is_err() && until(wrong).is_err(), "{wrong}");
        }
    }
}
