//! Tests what commitments guarantee.

use super::*;
use crate::{ByteSpan, Event, FieldValue, IdSpace, InvocationId, Locator, Predicate, RecordId, Seed, Stream};
use crate::{Circumstance, TaskId, Tier, Writer};
use proptest::prelude::*;

fn bound(field: &str, text: &str) -> BoundValue {
    BoundValue {
        field: field.to_owned(),
        value: FieldValue::Text(text.to_owned()),
        quotation: None,
        tier: Tier::Exact,
        span: ByteSpan::new(9, 3),
        at: None,
        writer: None,
    }
}

fn fact(ordinal: u32, values: Vec<BoundValue>) -> FactEntry {
    let ids = IdSpace::new(Seed(Digest::of(b"commitments")));
    FactEntry {
        placement: None,
        id: FactId::assign(&ids, TaskId(1), ordinal).unwrap(),
        predicate: Predicate("present".into()),
        subject: bound("path", "p1/a"),
        values,
        invocation: InvocationId::assign(&ids, TaskId(1), 0).unwrap(),
        output: Digest::of(b"output"),
        record: RecordId(0),
        kind: "dir_entry".into(),
        locator: Locator { evidence: "e".into(), path: "p1/a".into(), stream: None, span: None },
        shown: true,
    }
}

fn run_key() -> RunKey {
    RunKey(*Digest::of(b"a run").as_bytes())
}

fn open(fact: &FactEntry, withheld: &[&str]) -> Opening {
    let withheld = withheld.iter().map(|name| (*name).to_owned()).collect();
    Opening::of(fact, run_key().of_fact(fact.id), &withheld).unwrap()
}

/// What is changed, and how.
type Change = (&'static str, fn(&mut FactEntry));

/// Returns changes to a fact, each of one thing.
fn changes() -> Vec<Change> {
    vec![
        ("predicate", |it| it.predicate.0 = "deleted".into()),
        ("subject", |it| it.subject.value = FieldValue::Text("p1/b".into())),
        ("type of the subject", |it| it.subject.value = FieldValue::Path("p1/a".into())),
        ("field of the subject", |it| it.subject.field = "name".into()),
        ("tier", |it| it.subject.tier = Tier::Quoted),
        ("writer", |it| it.subject.writer = Some(Writer::System)),
        ("value", |it| it.values[0].value = FieldValue::Text("other".into())),
        ("quotation", |it| it.values[0].quotation = Some("on".into())),
        ("raw place", |it| it.values[0].at = Some(ByteSpan::new(1, 1))),
        ("place in the output", |it| it.values[1].span = ByteSpan::new(9, 4)),
        ("order of values", |it| it.values.swap(0, 1)),
        ("a value less", |it| drop(it.values.pop())),
        ("a value more", |it| it.values.push(bound("x", "y"))),
        ("output", |it| it.output = Digest::of(b"other")),
        ("record", |it| it.record = RecordId(1)),
        ("kind", |it| it.kind = "stream".into()),
        ("evidence", |it| it.locator.evidence = "f".into()),
        ("path", |it| it.locator.path = "p1/A".into()),
        ("stream", |it| it.locator.stream = Some(String::new())),
        ("span", |it| it.locator.span = Some(ByteSpan::new(0, 0))),
        ("shown", |it| it.shown = false),
        ("id", |it| it.id = fact(1, vec![]).id),
        ("invocation", |it| {
            let ids = IdSpace::new(Seed(Digest::of(b"commitments")));
            it.invocation = InvocationId::assign(&ids, TaskId(1), 1).unwrap();
        }),
    ]
}

#[test]
fn a_fact_is_that_of_its_hash_and_any_change_of_it_is_noticed() {
    let fact = fact(0, vec![bound("owner", "one"), bound("group", "two")]);
    let opening = open(&fact, &[]);
    opening.check(&fact).unwrap();
    for (what, change) in changes() {
        let mut changed = fact.clone();
        change(&mut changed);
        assert!(opening.check(&changed).is_err(), "{what}");
        assert_ne!(open(&changed, &[]).hash, opening.hash, "{what}");
    }
}

#[test]
fn what_is_withheld_can_be_checked_without_it_and_keeps_the_hash() {
    let fact = fact(0, vec![bound("owner", "one"), bound("group", "two")]);
    let opening = open(&fact, &["value-0"]);
    assert_eq!((opening.hash, opening.key), (open(&fact, &[]).hash, None));
    let mut shown = fact.clone();
    shown.values[0] = bound("owner", "[withheld]");
    opening.check(&shown).unwrap();
    // The hash covers everything except the withheld member itself.
    for (what, change) in
        changes().into_iter().filter(|(what, _)| !["value", "quotation", "raw place"].contains(what))
    {
        let mut changed = shown.clone();
        change(&mut changed);
        assert!(opening.check(&changed).is_err(), "{what}");
    }
}

#[test]
fn a_changed_salt_commitment_or_list_of_members_is_noticed() {
    let fact = fact(0, vec![bound("owner", "one"), bound("group", "two")]);
    let opening = open(&fact, &["value-0"]);
    let other = Digest::of(b"other");
    let changes: [fn(&mut Opening, Digest); 7] = [
        |it, other| it.hash = other,
        |it, other| {
            it.salts.insert("value-1".into(), other);
        },
        |it, other| {
            it.withheld.insert("value-0".into(), other);
        },
        |it, _| {
            it.salts.remove("value-1");
        },
        |it, _| {
            it.withheld.remove("value-0");
        },
        |it, other| {
            it.withheld.insert("value-1".into(), other);
        },
        |it, other| {
            it.salts.insert("value-7".into(), other);
        },
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut changed = opening.clone();
        change(&mut changed, other);
        assert!(changed.check(&fact).is_err(), "change {number}");
    }
}

#[test]
fn equal_values_have_different_commitments() {
    let twice = fact(0, vec![bound("owner", "one"), bound("owner", "one")]);
    let all = ["subject", "value-0", "value-1", "locator", "stored"];
    let first = open(&twice, &all);
    assert_ne!(first.withheld["value-0"], first.withheld["value-1"]);
    // Commitments of another fact, or of another run, do not match either.
    let second = open(&FactEntry { id: fact(1, vec![]).id, ..twice.clone() }, &all);
    let key = RunKey(*Digest::of(b"another run").as_bytes()).of_fact(twice.id);
    let third = Opening::of(&twice, key, &all.iter().map(|it| (*it).to_owned()).collect()).unwrap();
    for name in all {
        assert_ne!(first.withheld[name], second.withheld[name], "{name}");
        assert_ne!(first.withheld[name], third.withheld[name], "{name}");
    }
}

#[test]
fn the_key_of_one_fact_opens_no_other_and_no_salt_another_one() {
    let (one, other) = (fact(0, vec![]).id, fact(1, vec![]).id);
    let salts: BTreeSet<Digest> = [one, other]
        .into_iter()
        .flat_map(|id| ["subject", "value-0", "value-1"].map(|name| run_key().of_fact(id).salt(name)))
        .collect();
    assert_eq!(salts.len(), 6);
}

/// The example of RFC 4231, section 4.3, has a key of four bytes.
/// Our keys have 32 bytes; padding the example's key with zeros changes nothing, because HMAC pads keys in the same way.
#[test]
fn the_keyed_digest_is_that_of_rfc_4231() {
    let mut key = [0; 32];
    key[..4].copy_from_slice(b"Jefe");
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    mac.update(b"what do ya want for nothing?");
    let expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    assert_eq!(crate::digest::hex(&mac.finalize().into_bytes()), expected);
    assert_ne!(keyed(&key, &[b"ab", b"c"]), keyed(&key, &[b"a", b"bc"]));
}

#[test]
fn the_key_of_a_run_follows_from_every_byte_of_its_log() {
    let mut chain = crate::chain::Chain::new();
    let links: Vec<Link> = ["2026-01-01T00:00:00.000000001Z", "2026-01-01T00:00:00.000000002Z"]
        .into_iter()
        .map(|at| {
            let circumstance = Circumstance { at: at.to_owned(), ..Circumstance::default() };
            chain.link(Stream::Task(TaskId(1)), &Event::Cancelled, &circumstance).unwrap()
        })
        .collect();
    let key = |links: &[Link]| {
        let mut maker = KeyMaker::default();
        links.iter().for_each(|link| maker.take(link));
        maker.finish()
    };
    let before = key(&links);
    let changes: [fn(&mut Vec<Link>); 5] = [
        |it| it.swap(0, 1),
        |it| drop(it.pop()),
        |it| it[0].circumstance[30] ^= 1,
        |it| it[1].stream = Stream::Run,
        |it| {
            let moved = it[0].event.pop().unwrap();
            it[0].circumstance.insert(0, moved);
        },
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut changed = links.clone();
        change(&mut changed);
        assert!(key(&changed) != before, "change {number}");
    }
}

proptest! {
    #[test]
    fn two_facts_have_one_hash_only_if_they_are_one(
        fields in prop::collection::vec(("[a-c\"]{0,2}", "[a-c\",:{}]{0,3}"), 0..3),
        others in prop::collection::vec(("[a-c\"]{0,2}", "[a-c\",:{}]{0,3}"), 0..3),
    ) {
        let of = |fields: &[(String, String)]| fact(0, fields.iter().map(|(field, text)| bound(field, text)).collect());
        let (one, other) = (of(&fields), of(&others));
        prop_assert_eq!(open(&one, &[]).hash == open(&other, &[]).hash, one == other);
    }
}
