//! Which events are wanted, decided before records are made of them.

use super::kinds::EVENT;
use super::row::standing;
use super::rules::RULES;
use crate::arguments::Arguments;
use crate::error::CallError;
use crate::spec;
use crate::tables::StoredRow;
use artifacts::evtx::{Event, System};
use ledger::pattern::fits;
use serde_json::Value;
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// What events must be like; what was given must all hold.
#[derive(Default)]
pub(crate) struct Wanted {
    channel: Option<String>,
    provider: Option<String>,
    ids: Vec<RangeInclusive<u32>>,
    user: Option<String>,
    /// The only types of records; empty for all.
    types: Vec<&'static str>,
}

/// The arguments that are read here.
pub(crate) fn arguments() -> Vec<(&'static str, Value)> {
    vec![
        (
            "channel",
            spec::text(
                "pattern of the channel, such as Security or *PowerShell*: * for any characters, ? for one, letter case aside",
            ),
        ),
        ("ids", spec::text("event ids and spans of them, separated by commas, such as 4624,4625,7000-7045")),
        ("provider", spec::text("pattern of the name of the provider")),
        (
            "user",
            spec::text(
                "SID or name of a user: that of the event, or a value of its data, with or without a domain before it",
            ),
        ),
    ]
}

impl Wanted {
    pub(crate) fn read(arguments: &Arguments) -> Result<Wanted, CallError> {
        let text = |name| arguments.optional_text(name).map(str::to_owned);
        let ids = arguments.optional_text("ids").map(ids).transpose()?.unwrap_or_default();
        let of_record = |kind| arguments.optional_text("record").is_some_and(|record| record == kind);
        let types = RULES.iter().map(|rule| rule.kind).find(|kind| of_record(*kind));
        Ok(Wanted {
            channel: text("channel"),
            provider: text("provider"),
            ids,
            user: text("user"),
            types: types.into_iter().collect(),
        })
    }

    /// Events that become records of these types, of a user.
    pub(crate) fn of_types(types: &'static [&'static str], user: Option<&str>) -> Wanted {
        Wanted { types: types.to_vec(), user: user.map(str::to_owned), ..Wanted::default() }
    }

    /// Whether an event of any id and channel [may](Wanted::may) be wanted, so that asking is in vain.
    pub(crate) fn may_be_any(&self) -> bool {
        self.channel.is_none() && self.ids.is_empty() && self.types.is_empty()
    }

    /// Whether an event of this id and channel may be wanted.
    pub(crate) fn may(&self, id: u32, channel: &str) -> bool {
        (self.ids.is_empty() || self.ids.iter().any(|ids| ids.contains(&id)))
            && self.channel.as_ref().is_none_or(|pattern| fits(pattern, channel))
            && (self.types.is_empty()
                || RULES.iter().any(|rule| self.types.contains(&rule.kind) && rule.may(id, channel)))
    }

    /// Whether the system part fits; the cheap half of the test.
    pub(crate) fn system(&self, system: &System<'_>) -> bool {
        self.may(system.event_id, &system.channel)
            && (self.types.is_empty()
                || standing(system).is_some_and(|(kind, own)| own && self.types.contains(&kind)))
            && self.provider.as_ref().is_none_or(|pattern| fits(pattern, &system.provider))
    }

    /// Whether a stored row does not tell if its event is wanted: a user can stand anywhere in the event, and the row of an event without a provider names another one.
    pub(crate) fn needs_event(&self) -> bool {
        self.user.is_some() || self.provider.is_some()
    }

    /// What [`Wanted::row`] reads of a row.
    pub(crate) const READS: [&str; 4] = ["event_id", "channel", "provider", "imitates"];

    /// Whether the event of a stored row is wanted, unless that [needs the event](Wanted::needs_event).
    pub(crate) fn row(&self, row: &StoredRow<'_>) -> bool {
        let id = row.number("event_id").and_then(|id| u32::try_from(id).ok()).unwrap_or_default();
        let (channel, provider) =
            (row.text("channel").unwrap_or_default(), row.text("provider").unwrap_or_default());
        (self.ids.is_empty() || self.ids.iter().any(|ids| ids.contains(&id)))
            && self.channel.as_ref().is_none_or(|pattern| fits(pattern, channel))
            && (self.types.is_empty() || self.is_of_types(row, id, channel, provider))
    }

    /// Whether a row is of a wanted type, or of an event that would be if its subject did not lack.
    fn is_of_types(&self, row: &StoredRow<'_>, id: u32, channel: &str, provider: &str) -> bool {
        if row.kind() != EVENT {
            return self.types.contains(&row.kind());
        }
        let rule = RULES
            .iter()
            .find(|rule| rule.may(id, channel) && rule.writer.provider.eq_ignore_ascii_case(provider));
        row.text("imitates").is_none() && rule.is_some_and(|rule| self.types.contains(&rule.kind))
    }

    /// Whether the event is of the user that is asked for.
    pub(crate) fn user(&self, event: &Event<'_>, data: &[(Cow<'_, str>, Cow<'_, str>)]) -> bool {
        let Some(user) = &self.user else { return true };
        let same = |text: &str| {
            let name = text.rsplit_once('\\').map_or(text, |(_, name)| name);
            text.eq_ignore_ascii_case(user) || name.to_lowercase() == user.to_lowercase()
        };
        event.system.user.as_deref().is_some_and(same) || data.iter().any(|(_, value)| same(value))
    }
}

fn ids(text: &str) -> Result<Vec<RangeInclusive<u32>>, CallError> {
    let refused = || {
        let expected = "event ids or spans of them, separated by commas, such as 4624,7000-7045";
        CallError::Argument { argument: "ids", expected, found: text.to_owned() }
    };
    let mut all = Vec::new();
    for one in text.split(',').map(str::trim).filter(|one| !one.is_empty()) {
        let (first, last) = one.split_once('-').unwrap_or((one, one));
        let (Ok(first), Ok(last)) = (first.trim().parse(), last.trim().parse()) else {
            return Err(refused());
        };
        if first > last {
            return Err(refused());
        }
        all.push(first..=last);
    }
    if all.is_empty() { Err(refused()) } else { Ok(all) }
}
