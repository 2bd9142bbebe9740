//! How long the triggers of a scheduled task keep starting it.

/// How long one trigger is effective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Due {
    /// It fires once, or repeatedly for a stated time after it first fired.
    Once,
    /// Until the end date in the file.
    Ending,
    /// Without an end.
    Lasting,
}

/// The number of days from which a repetition counts as unlimited: anyone who repeats something for a year means
/// forever.
pub(crate) const FOR_GOOD_DAYS: u64 = 365;

/// Checks whether an end date is beyond any realistic use: programs write the latest possible year to mean never.
pub(crate) fn is_never(end: &str) -> bool {
    end.starts_with("9999")
}

/// Returns what starts a task, given how long its enabled triggers are effective.
///
/// Whether an end date has passed depends on the time of the examination, and is not decided here.
pub fn starts(enabled: bool, triggers: impl Iterator<Item = Due>) -> &'static str {
    match triggers.max() {
        _ if !enabled => "disabled",
        Some(Due::Lasting) => "by_trigger",
        Some(Due::Ending) => "until_end",
        Some(Due::Once) => "once",
        None => "on_demand",
    }
}

/// The meaning of the values of [`starts`].
pub const STARTS: &str = "by_trigger: again and again, without an end; until_end: until the end that all of its triggers state; once: at one time, or for less than a year after it; on_demand: it has no trigger that counts; or disabled";
