//! Checks the seal's digest of the run's connections against the connections that its facts produce.

use super::log::Found;
use graph::Run;
use graph::connections::{digest, rules_of};
use ledger::Behaviour;

/// Returns the differences; none for a run that is not sealed, or that predates this digest.
pub(super) fn amiss(run: &Run) -> Vec<Found> {
    let found = |what: String| vec![("the seal".to_owned(), what)];
    let Some(sealed) = &run.sealed else { return Vec::new() };
    let has = |it: Behaviour| run.opened.behaviour.contains(&it.into());
    let (is_expected, rules) = (has(Behaviour::Connects), rules_of(has));
    match &sealed.connections {
        None if is_expected => found("it has no digest of the run's entities and relations".to_owned()),
        None => Vec::new(),
        Some(_) if !is_expected => {
            found("it has a digest of entities and relations, which runs of this kind have not".to_owned())
        }
        Some(stated) if stated.rules != rules => {
            found(format!("expected entities and relations by the rules {rules}, found {}", stated.rules))
        }
        Some(stated) => {
            let made = digest(run.connections());
            match made == *stated {
                true => Vec::new(),
                false => found(format!(
                    "expected {} entities and {} relations with the digest {}, found {}, {} and {}",
                    made.entities,
                    made.relations,
                    made.digest,
                    stated.entities,
                    stated.relations,
                    stated.digest
                )),
            }
        }
    }
}
