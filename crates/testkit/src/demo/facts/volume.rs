//! Facts about the disk, its volume, and what only a file system records: deleted entries, streams, both sets of times.

use super::{text, time};
use crate::demo::parts::collected;
use crate::demo::story::*;
use crate::demo::truth::{Datum, Fact, Place};

/// Returns these facts.
pub(crate) fn all() -> Vec<Fact> {
    [medium(), streams(), entries()].concat()
}

fn fact(id: &'static str, question: &'static str, file: &str, place: Place, values: Vec<Datum>) -> Fact {
    Fact { id, question, values, file: file.to_owned(), place }
}

fn medium() -> Vec<Fact> {
    let of = |id, question, value: &str| fact(id, question, "p1", Place::Medium, vec![text(value)]);
    vec![
        of("volume-label", "What is the volume called?", VOLUME_LABEL),
        of("volume-serial", "What is its serial number?", &format!("{VOLUME_SERIAL:016X}")),
        fact("cluster-size", "How large is a cluster?", "p1", Place::Medium, vec![Datum::Number(CLUSTER)]),
    ]
}

fn streams() -> Vec<Fact> {
    const ZONE: Place = Place::Stream("Zone.Identifier");
    vec![
        fact(
            "installer-zone",
            "From where does the mark on the installer say that it came?",
            &collected(INSTALLER),
            ZONE,
            vec![text(INSTALLER_URL)],
        ),
        fact(
            "form-zone",
            "From where does the mark on the form say that it came?",
            &collected(FORM),
            ZONE,
            vec![text(FORM_URL)],
        ),
        fact(
            "relay",
            "What stands in a stream beside the log of the fake program?",
            &collected(LOG),
            Place::Stream(RELAY_STREAM),
            vec![text(RELAY)],
        ),
    ]
}

fn entries() -> Vec<Fact> {
    let name = |path: &str| path.rsplit('\\').next().unwrap_or(path).to_owned();
    vec![
        fact(
            "program-forged",
            "When was the fake program made, by its two sets of times?",
            &collected(PROGRAM),
            Place::Entry,
            vec![time(PROGRAM_FORGED), time(PROGRAM_MADE)],
        ),
        fact(
            "hosts-changed",
            "When was the hosts file last written?",
            "p1/Windows/System32/drivers/etc/hosts",
            Place::Entry,
            vec![time(HOSTS_CHANGED)],
        ),
        fact(
            "script-deleted",
            "Which script did the installer delete?",
            &collected(SCRIPT),
            Place::Entry,
            vec![text(&name(SCRIPT)), time(STARTED.plus(20))],
        ),
        fact(
            "script-line",
            "Which folder did that script take out of the scans for viruses?",
            &collected(SCRIPT),
            Place::Entry,
            vec![text(SCRIPT_LINE)],
        ),
        fact(
            "unpacked-deleted",
            "Which temporary file was deleted, and when had it been made?",
            &collected(UNPACKED),
            Place::Entry,
            vec![text(&name(UNPACKED)), time(STARTED.plus(6))],
        ),
        fact(
            "letter-deleted",
            "Which letter was deleted?",
            &collected(LETTER),
            Place::Entry,
            vec![text(&name(LETTER)), time(LETTER_WRITTEN)],
        ),
    ]
}
