//! A time span that arguments ask for.

use crate::arguments::Arguments;
use crate::error::CallError;
use ledger::{Time, Utc};

/// From one instant to another, both included; an end that was not given is open.
pub(crate) struct Span {
    pub(crate) from: Option<Utc>,
    pub(crate) to: Option<Utc>,
}

impl Span {
    /// Reads two arguments that [`crate::normalise`] has converted to UTC.
    pub(crate) fn read(
        arguments: &Arguments,
        from_name: &'static str,
        to_name: &'static str,
    ) -> Result<Span, CallError> {
        let read = |name: &'static str| {
            let text = arguments.optional_text(name);
            let error = |source| CallError::ArgumentTime {
                argument: name.to_owned(),
                expected: "a date and time with its zone",
                source,
            };
            text.map(|text| text.parse::<Utc>().map_err(error)).transpose()
        };
        let span = Span { from: read(from_name)?, to: read(to_name)? };
        if let (Some(from), Some(to)) = (span.from, span.to)
            && from > to
        {
            let expected = "no earlier than the start of the span";
            return Err(CallError::Argument { argument: to_name, expected, found: to.to_string() });
        }
        Ok(span)
    }

    /// Checks whether the instant is in the span.
    pub(crate) fn contains(&self, utc: Utc) -> bool {
        self.from.is_none_or(|from| from <= utc) && self.to.is_none_or(|to| utc <= to)
    }

    /// Checks whether the time can be in the span; one without an instant is only in the unbounded span.
    ///
    /// A local time is in every span in which some zone would put it, so that a search which finds nothing has missed nothing.
    pub(crate) fn holds(&self, time: &Time) -> bool {
        match time.bounds() {
            Some((earliest, latest)) => {
                self.from.is_none_or(|from| from <= latest) && self.to.is_none_or(|to| earliest <= to)
            }
            None => self.from.is_none() && self.to.is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::AssumedZone;

    #[test]
    fn a_local_time_is_in_every_span_that_a_zone_could_place_it_in() {
        let at = |text: &str| Some(text.parse::<Utc>().unwrap());
        let span = |from, to| Span { from: at(from), to: at(to) };
        // 2012-04-04T01:58:40Z.
        let known = Time::from_filetime(129_779_783_200_000_000);
        let local = Time { zone: Some(AssumedZone::Utc), ..known.clone() };
        let evening_before = span("2012-04-03T18:00:00Z", "2012-04-03T19:00:00Z");
        assert!(evening_before.holds(&local) && !evening_before.holds(&known));
        let next_day = span("2012-04-04T14:00:00Z", "2012-04-05T00:00:00Z");
        assert!(!next_day.holds(&local));
    }
}
