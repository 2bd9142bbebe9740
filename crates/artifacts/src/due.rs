//! How long the triggers of a scheduled task go on starting it.

/// How long one trigger counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Due {
    /// It fires one time, or again and again for a stated while after one time.
    Once,
    /// Until the end that the file states.
    Ending,
    /// Without an end.
    Lasting,
}

/// Days from which on a repetition counts as one without an end: whoever repeats something for a year means for good.
pub(crate) const FOR_GOOD_DAYS: u64 = 365;

/// Whether an end lies beyond every use of a computer: programs write the last year that there is for none.
pub(crate) fn is_never(end: &str) -> bool {
    end.starts_with("9999")
}

/// What starts a task whose enabled triggers count so long.
///
/// Whether a stated end has come depends on when one looks, and is not decided here.
pub fn starts(enabled: bool, triggers: impl Iterator<Item = Due>) -> &'static str {
    match triggers.max() {
        _ if !enabled => "disabled",
        Some(Due::Lasting) => "by_trigger",
        Some(Due::Ending) => "until_end",
        Some(Due::Once) => "once",
        None => "on_demand",
    }
}

/// What the values of [`starts`] mean.
pub const STARTS: &str = "by_trigger: again and again, without an end; until_end: until the end that all of its triggers state; once: at one time, or for less than a year after it; on_demand: it has no trigger that counts; or disabled";
