//! Tests of what raises a confidence, what lowers it, and what leaves it unchanged.

use super::*;
use ledger::event::{ObjectiveResult, RelationAdded, TaskEnded, TaskStatus};
use ledger::{
    Condition, Event, FieldValue, NodeId, Objective, Placement, Predicate, RelationId, RelationKind, Stream,
    TaskId, Weight,
};
use proptest::prelude::*;
use testkit::history::{self, History};

/// Builds the `number`th fact: a record of this type says `executed` of `subject`, in this file, which this writer could have written.
fn fact(number: u32, kind: &str, file: &str, subject: &str, writer: Writer) -> FactEntry {
    let mut fact = history::fact(1, number, subject, &[("field", "x")]);
    fact.predicate = Predicate("executed".into());
    fact.kind = kind.into();
    fact.locator.path = file.into();
    fact.subject.value = FieldValue::Path(subject.into());
    fact.subject.writer = Some(writer);
    for bound in &mut fact.values {
        bound.writer = Some(writer);
    }
    fact
}

fn of(facts: &[FactEntry]) -> u16 {
    confidence(facts, 0).thousandths()
}

const TOOL: &str = r"C:\Tools\evil.exe";

fn prefetch(number: u32) -> FactEntry {
    fact(number, "prefetch", "C/Windows/Prefetch/EVIL.EXE-1.pf", TOOL, Writer::System)
}

#[test]
fn one_source_is_moderate_and_a_weak_one_low() {
    for (writer, expected) in [
        (Writer::System, 700),
        (Writer::Acquisition, 700),
        (Writer::Administrator, 650),
        (Writer::AnyUser, 600),
    ] {
        let one = fact(0, "prefetch", "f", TOOL, writer);
        assert_eq!(of(std::slice::from_ref(&one)), expected);
        assert_eq!(confidence([&one], 0).level(), Level::Moderate);
    }
    let unseen = FactEntry { shown: false, ..fact(0, "prefetch", "f", TOOL, Writer::AnyUser) };
    let mut quoted = fact(0, "event", "f", TOOL, Writer::AnyUser);
    quoted.values[0].tier = Tier::Quoted;
    for weak in [unseen, quoted] {
        assert_eq!(of(std::slice::from_ref(&weak)), 240);
        assert_eq!(confidence([&weak], 0).level(), Level::Low);
    }
    assert_eq!(confidence([], 0).level(), Level::None);
}

#[test]
fn facts_of_one_file_are_one_source() {
    let same: Vec<_> = (0..9).map(prefetch).collect();
    assert_eq!(of(&same), 700);
    let mut entries: Vec<_> = (0..9).map(|n| fact(n, "dir_entry", TOOL, TOOL, Writer::AnyUser)).collect();
    entries.push(fact(9, "mft_entry", "$MFT", TOOL, Writer::AnyUser));
    assert_eq!(of(&entries), 600, "what the file system tells of its entries is one source");
}

#[test]
fn another_kind_of_source_says_more_than_another_file_of_the_same_kind() {
    let user_assist = fact(1, "user_assist", "NTUSER.DAT", TOOL, Writer::AnyUser);
    let bam = fact(2, "bam_entry", "SYSTEM", TOOL, Writer::AnyUser);
    let (two, three) =
        (of(&[prefetch(0), user_assist.clone()]), of(&[prefetch(0), user_assist.clone(), bam.clone()]));
    assert_eq!((two, three), (880, 916));
    assert!(of(&[user_assist.clone(), bam]) < of(&[prefetch(0), user_assist]));
}

#[test]
fn facts_of_other_things_bear_nothing_out() {
    let other = fact(1, "user_assist", "NTUSER.DAT", r"C:\Tools\other.exe", Writer::System);
    let elsewhere = fact(2, "user_assist", "NTUSER.DAT", r"C:\Windows\evil.exe", Writer::System);
    assert_eq!(of(&[prefetch(0), other, elsewhere]), 700);
    let bare = fact(3, "user_assist", "NTUSER.DAT", "EVIL.EXE", Writer::System);
    assert_eq!(of(&[prefetch(0), bare]), 805, "only the name agrees: half");
}

#[test]
fn what_speaks_against_leaves_little() {
    let one = [prefetch(0)];
    let left = |against| confidence(&one, against).thousandths();
    assert_eq!((left(1), left(2), left(1000), left(usize::MAX)), (280, 112, 0, 0));
}

/// Builds an objective that facts like this one answer.
fn objective(fact: &FactEntry) -> Objective {
    let condition = Condition {
        predicate: fact.predicate.clone(),
        record: fact.kind.clone(),
        subject: "*".into(),
        field: "field".into(),
        value: None,
        unless: None,
        earlier: None,
    };
    Objective {
        id: "ran".into(),
        question: String::new(),
        applies: None,
        weight: Weight::Activity,
        condition,
        searched: Vec::new(),
        or: Vec::new(),
    }
}

/// Builds a run of one task with these facts; those like the first one answer its objective.
fn run(facts: &[FactEntry], relations: &[RelationAdded]) -> crate::Run {
    let objective = objective(&facts[0]);
    let mut log = History::opened("case");
    log.assigned_with(1, "execution", "scripted", vec![objective.clone()]).invoked(1, 0);
    for (number, fact) in (0u32..).zip(facts) {
        log.claimed(1, number, 1, history::reading("executed", &[], None));
        log.accepted(1, number, fact.clone());
    }
    for relation in relations {
        log.push(Stream::Task(TaskId(1)), Event::RelationAdded(relation.clone()));
    }
    let recorded = u32::try_from(facts.len()).unwrap();
    let answering = facts.iter().filter(|fact| objective.is_answered_by(fact));
    let facts = answering.map(|fact| fact.id).collect();
    let objectives = vec![ObjectiveResult { id: "ran".into(), facts, watched: false, without: None }];
    let (status, spent) = (TaskStatus::Completed, None);
    let ended =
        TaskEnded { status, spent, objectives, own: vec![], turns: 0, facts: recorded, rejections: 0 };
    crate::fold(log.ended(1, ended).events()).unwrap()
}

fn sure(facts: &[FactEntry], relations: &[RelationAdded]) -> u16 {
    let run = run(facts, relations);
    let all = objective_confidences(&run);
    let one = all[&(TaskId(1), "ran")];
    let result = &run.tasks[&TaskId(1)].ended.as_ref().unwrap().objectives[0];
    assert_eq!(answer_confidences(&run, [result.facts.as_slice()]), [Some(one)]);
    one.thousandths()
}

#[test]
fn what_the_run_knows_of_the_same_thing_bears_an_answer_out() {
    let mut present = fact(1, "dir_entry", "C/Tools/evil.exe", TOOL, Writer::System);
    present.predicate = Predicate("present".into());
    let ran = fact(2, "user_assist", "NTUSER.DAT", TOOL, Writer::System);
    assert_eq!(sure(&[prefetch(0)], &[]), 700);
    assert_eq!(sure(&[prefetch(0), present], &[]), 805, "it says something else of it: half");
    assert_eq!(sure(&[prefetch(0), ran], &[]), 910);
}

#[test]
fn another_value_of_a_setting_speaks_against_and_what_an_agent_relates_does_not() {
    let other = fact(1, "event", "log", "elsewhere", Writer::System);
    let against = RelationAdded {
        relation: RelationId::assign(&history::ids(), TaskId(1), 0).unwrap(),
        from: NodeId::Fact(other.id),
        kind: RelationKind::Contradicts,
        to: NodeId::Fact(prefetch(0).id),
        facts: vec![other.id],
    };
    let facts = [prefetch(0), other.clone()];
    assert_eq!(sure(&facts, &[against]), 700);

    let setting = |number, file: &str, value: &str| {
        let mut fact = fact(number, "registry_value", file, r"Control\ComputerName", Writer::Administrator);
        fact.values[0].value = FieldValue::Text(value.into());
        fact
    };
    let (one, same, other) =
        (setting(0, "SYSTEM", "ALDER"), setting(1, "Copy/SYSTEM", "alder"), setting(2, "Copy/SYSTEM", "OAK"));
    let alone = sure(std::slice::from_ref(&one), &[]);
    assert!(sure(&[one.clone(), same], &[]) > alone);
    assert!(sure(&[one, other], &[]) < alone);
}

#[test]
fn times_that_do_not_fit_together_speak_against_the_times_of_the_entry() {
    let mut created = fact(0, "dir_entry", "C/Tools/evil.exe", TOOL, Writer::System);
    created.predicate = Predicate("created".into());
    let mut indicator = fact(1, "timestomp_indicator", "C/Tools/evil.exe", TOOL, Writer::System);
    indicator.predicate = Predicate("recorded".into());
    assert_eq!(sure(&[created, indicator.clone()], &[]), 280);
    assert_eq!(sure(&[indicator], &[]), 700, "the indicator itself stands");
}

fn any_fact() -> impl Strategy<Value = FactEntry> {
    let kinds = prop::sample::select(vec![
        "prefetch",
        "dir_entry",
        "user_assist",
        "bam_entry",
        "event",
        "table_row",
        "page_visit",
    ]);
    let subjects = prop::sample::select(vec![TOOL, r"C:\Windows\evil.exe", "evil.exe", "other", "x"]);
    let writers = prop::sample::select(Writer::ALL.to_vec());
    (0u32..1000, kinds, 0u8..6, subjects, writers, any::<bool>(), any::<bool>()).prop_map(
        |(number, kind, file, subject, writer, shown, quoted)| {
            // Each record type has its own file, as on a real host.
            let mut fact = fact(number, kind, &format!("{kind}-{file}"), subject, writer);
            fact.shown = shown;
            if quoted {
                fact.values[0].tier = Tier::Quoted;
            }
            fact
        },
    )
}

proptest! {
    #[test]
    fn another_source_never_lowers_it_and_order_says_nothing(
        facts in prop::collection::vec(any_fact(), 0..20),
        more in any_fact(),
        turn in 0usize..20,
    ) {
        let before = of(&facts);
        let mut all = facts.clone();
        all.push(more);
        let after = of(&all);
        prop_assert!(after >= before, "{before} {after}");
        let middle = turn % all.len();
        all.rotate_left(middle);
        prop_assert_eq!(of(&all), after);
        prop_assert!(after < 1000);
    }

    #[test]
    fn another_contradiction_never_raises_it(
        facts in prop::collection::vec(any_fact(), 0..20),
        against in 0usize..40,
    ) {
        prop_assert!(confidence(&facts, against + 1) <= confidence(&facts, against));
    }

    #[test]
    fn a_weaker_writer_an_unseen_record_or_a_mere_quotation_never_raises_it(
        facts in prop::collection::vec(any_fact(), 1..20),
        which in 0usize..20,
    ) {
        let before = of(&facts);
        let changed = |change: fn(&mut FactEntry)| {
            let mut facts = facts.clone();
            let which = which % facts.len();
            change(&mut facts[which]);
            of(&facts)
        };
        prop_assert!(changed(|fact| fact.shown = false) <= before);
        prop_assert!(changed(|fact| fact.values[0].tier = Tier::Quoted) <= before);
        prop_assert!(changed(|fact| fact.subject.writer = Some(Writer::AnyUser)) <= before);
    }
}

#[test]
fn a_thing_is_named_elsewhere_by_another_kind_of_source_of_the_same_evidence() {
    let task = |number| fact(number, "scheduled_task", "C/Windows/System32/Tasks/A", TOOL, Writer::AnyUser);
    let other = FactEntry {
        locator: ledger::Locator { evidence: "another".into(), ..prefetch(1).locator },
        ..prefetch(1)
    };
    let told = |second: FactEntry| {
        let facts = [task(0), second];
        named_elsewhere(&facts.each_ref()).contains(&facts[0].id)
    };
    assert!(told(prefetch(1)));
    assert!(!told(other), "another piece of evidence may be another computer");
    assert!(!told(task(1)), "the same kind of source");
    assert!(!told(fact(1, "text_line", "C/a.txt", TOOL, Writer::AnyUser)), "what says nothing of its writer");
    assert!(!told(fact(1, "prefetch", "C/p", r"C:\Other\evil.exe", Writer::System)), "another folder's file");
}

#[test]
fn files_outside_their_places_are_one_source_of_the_least_weight() {
    let elsewhere = |number, kind: &str, file: &str| FactEntry {
        placement: Some(Placement::Elsewhere),
        ..fact(number, kind, file, TOOL, Writer::System)
    };
    let forged =
        [elsewhere(0, "prefetch", "Downloads/a.pf"), elsewhere(1, "user_assist", "Downloads/NTUSER.DAT")];
    assert_eq!(confidence(&forged, 0), confidence(&forged[..1], 0));
    assert_eq!(confidence(&forged, 0).thousandths(), 600);
    let own = fact(2, "prefetch", "Windows/Prefetch/a.pf", TOOL, Writer::System);
    let all: Vec<_> = forged.iter().chain([&own]).cloned().collect();
    assert_eq!(confidence(&all, 0), confidence(&[forged[0].clone(), own], 0));
}
