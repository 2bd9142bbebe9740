//! How much a finding stands out, and why, in words that all formats share.

use crate::brought;
use crate::foremost::shares;
use detect::Level;
use graph::{Ranked, Run, Weighed};

/// Returns the reasons for a finding's rank as plain text, most significant first.
pub(crate) fn reasons(run: &Run, ranked: &Ranked<'_>) -> Vec<String> {
    let mut reasons: Vec<String> = ranked.rank.weighed.hits.iter().map(|hit| hit.note.to_owned()).collect();
    reasons.extend(brought::rules_of(run, &ranked.rank.weighed.brought));
    if ranked.rank.weighed.is_elsewhere {
        reasons
            .push("the file is not in a place of the host's own, which lowers the level to low".to_owned());
    }
    if let Some(raised) = ranked.rank.raised {
        reasons.push(format!("{}, which raises the level to medium", shares(raised)));
    }
    if ranked.rank.level == Level::Ordinary
        && let Some(note) = ranked.rank.weighed.ordinary
    {
        reasons.push(note.to_owned());
    }
    if let Some(answered) = ranked.rank.objective {
        reasons.push(format!("answers {}/{}", answered.agent, answered.id));
    }
    if !ranked.rank.corroborated_by.is_empty() {
        let kinds: Vec<_> = ranked.rank.corroborated_by.iter().copied().collect();
        reasons.push(format!("named by {}, too", kinds.join(", ")));
    }
    if let Some(finding) = ranked.linked_to {
        reasons.push(format!("names what {finding} names"));
    }
    if let Some(finding) = ranked.close_to {
        reasons.push(format!("within half an hour of {finding}"));
    }
    reasons.push(match ranked.rank.alike {
        1 => "the only fact of its kind".to_owned(),
        alike => format!("one of {alike} facts of its kind"),
    });
    reasons
}

/// Returns the words of the rule with the highest level that matches; empty if none does.
pub(crate) fn first(run: &Run, weighed: &Weighed) -> String {
    let own = weighed.hits.first();
    let theirs = weighed.brought.first().and_then(|rule| run.brought.as_ref()?.fit(*rule));
    let level = |name: &str| Level::of_name(name).unwrap_or(Level::Ordinary);
    match (own, theirs) {
        (Some(hit), Some(fit)) if level(&fit.level) <= hit.level => hit.note.to_owned(),
        (_, Some(fit)) => graph::brought_in_words(fit),
        (Some(hit), None) => hit.note.to_owned(),
        (None, None) => String::new(),
    }
}
