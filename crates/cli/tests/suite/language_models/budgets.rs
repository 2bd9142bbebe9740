//! Limits on the cost of a run.

use super::{BOTH, ends, healthy, host, model};
use crate::support::{Place, str};
use ledger::Event;
use ledger::event::Spent;
use std::path::Path;

fn spent(run: &Path) -> Vec<Spent> {
    let reader = store::Reader::open(run).unwrap();
    let events = reader.events().map(|event| event.unwrap().1);
    events.filter_map(|event| if let Event::PurseSpent(spent) = event { Some(spent) } else { None }).collect()
}

#[test]
fn a_run_that_has_spent_what_it_may_ends_in_order() {
    let bounds: [(&[&str], Spent, &str); 2] = [
        (&["--max-tokens", "1"], Spent::Tokens, "the run's tokens were spent"),
        (&["--max-cost", "0.000001", "--price", "3,15,0.3"], Spent::Cost, "the run's money was spent"),
    ];
    for (speaks, (bound, what, words)) in BOTH.into_iter().zip(bounds) {
        let place = Place::new();
        host(&place);
        let server = healthy(speaks);
        let model = model(&server, speaks);
        // The budget ran out before anything was recorded.
        let (out, _) = ends(
            &place,
            60,
            &[&["run", "host", "--side-by-side", "--no-sweep", "--model", &model], bound].concat(),
        );
        assert!(out.contains("sealed runs/") && out.contains("not examined"), "{out}");
        let run = place.only_run();
        let told = spent(&run);
        assert!(!told.is_empty() && told.iter().all(|spent| *spent == what), "{told:?}");
        let turns = server.kept().len();
        assert!(turns <= super::AGENTS, "{turns} turns: no agent is asked a second time");
        assert!(place.locard_ends(0, &["report", str(&run)]).contains(words));
        place.locard_ends(0, &["verify", str(&run)]);
        place.locard_ends(0, &["replay", str(&run)]);
    }
}

#[test]
fn a_bound_that_is_not_reached_changes_nothing_but_the_rules() {
    let place = Place::new();
    host(&place);
    let server = healthy(BOTH[0]);
    let rules = place.file("rules.toml", "[budgets]\nrun_tokens = 1\n");
    // Command-line options override the rules file.
    let bound = ["--rules", str(&rules), "--max-tokens", "100000000"];
    ends(
        &place,
        0,
        &[&["run", "host", "--side-by-side", "--no-sweep", "--model", &model(&server, BOTH[0])], &bound[..]]
            .concat(),
    );
    assert_eq!(spent(&place.only_run()), []);
    ends(&place, 0, &["run", "host", "--side-by-side", "--no-sweep", "--rules", str(&rules)]);
    let last = place.runs().pop().unwrap();
    assert_eq!(spent(&last), [], "a playbook costs nothing");
}
