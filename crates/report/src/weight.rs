//! How much a finding stands out, and why, in words: one list for every format.

use crate::foremost::shares;
use detect::Level;
use graph::Ranked;

/// Why a finding stands where it does, the most telling reason first, as plain text.
pub(crate) fn reasons(ranked: &Ranked<'_>) -> Vec<String> {
    let mut reasons: Vec<String> = ranked.rank.weighed.hits.iter().map(|hit| hit.note.to_owned()).collect();
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
