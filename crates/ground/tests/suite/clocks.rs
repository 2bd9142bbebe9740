//! If a clock was set back, times prove an order only as far as they can.

use ground::{Adding, Basis, DerivationVerdict, judge_derivation};
use ledger::event::{InvocationEnded, InvocationStarted};
use ledger::{
    BoundValue, ByteSpan, CallId, Clock, ClockListing, ClockStep, Completeness, Derivation, Digest,
    FactEntry, FactId, Field, FieldValue, Locator, Outcome, Output, Precision, Predicate, Record, RecordId,
    Term, Tier, Time,
};
use proptest::prelude::*;
use serde_json::json;

const FROM: i128 = 1_700_000_000;

fn id(number: usize) -> FactId {
    format!("fact-{number:08x}").parse().unwrap()
}

fn utc(seconds: i128) -> ledger::Utc {
    ledger::Utc::from_unix_nanoseconds((FROM + seconds) * 1_000_000_000).unwrap()
}

fn bound(field: &str, value: FieldValue) -> BoundValue {
    let (quotation, at, writer) = (None, None, None);
    BoundValue {
        field: field.into(),
        value,
        quotation,
        tier: Tier::Exact,
        span: ByteSpan::new(0, 1),
        at,
        writer,
    }
}

/// Returns a fact of this evidence with a time in seconds, and optionally a record number.
fn fact(number: usize, evidence: &str, seconds: i128, record_id: Option<i128>) -> FactEntry {
    let time = Time {
        utc: Some(utc(seconds)),
        raw: "1".into(),
        clock: Clock::Host,
        precision: Precision::Filetime,
        zone: None,
    };
    let mut values = vec![bound("v", FieldValue::Time(time))];
    values.extend(record_id.map(|number| bound("record_id", FieldValue::Integer(number))));
    FactEntry {
        placement: None,
        id: id(number),
        predicate: Predicate("recorded".into()),
        subject: bound("name", FieldValue::Name(format!("n{number}"))),
        values,
        invocation: "inv-00000001".parse().unwrap(),
        output: Digest::of(b"output"),
        record: RecordId(0),
        kind: "event".into(),
        locator: Locator { evidence: evidence.into(), path: "log".into(), stream: None, span: None },
        shown: true,
    }
}

/// Returns a listing of steps that set the clock of `pc` back from one time to another, in seconds.
fn listing(steps: &[(i128, i128)], evidence: Option<&str>) -> ClockListing {
    let step = |(before, after): &(i128, i128)| ClockStep {
        evidence: "pc".into(),
        log: "log".into(),
        before: utc(*before),
        after: utc(*after),
    };
    ClockListing {
        listed: "inv-00000009".parse().unwrap(),
        evidence: evidence.map(str::to_owned),
        steps: steps.iter().map(step).collect(),
    }
}

/// Returns the same listing as a call returns it: each step in a file of its own, as archived logs of one channel.
fn kept_listing(steps: &[(i128, i128)]) -> ClockListing {
    let time = |seconds| FieldValue::Time(Time { utc: Some(utc(seconds)), ..Time::from_filetime(1) });
    let record = |(number, (before, after)): (u32, &(i128, i128))| {
        let fields = [
            ("before", time(*before)),
            ("after", time(*after)),
            ("channel", FieldValue::Name("System".into())),
        ];
        let field = |(name, value): (&str, FieldValue)| (name.to_owned(), Field { at: None, value });
        Record {
            placement: None,
            id: RecordId(number),
            kind: "clock_step".into(),
            locator: Locator {
                evidence: "pc".into(),
                path: format!("logs/Archive-System-{number}.evtx"),
                stream: None,
                span: None,
            },
            fields: fields.into_iter().map(field).collect(),
            defects: Vec::new(),
        }
    };
    let output = Output::new((0..).zip(steps).map(record).collect()).unwrap();
    listed_by(json!({ "record": "clock_step" }), &output).unwrap()
}

/// Returns the listing that a call with these arguments makes.
fn listed_by(arguments: serde_json::Value, output: &Output) -> Option<ClockListing> {
    let invocation = "inv-00000009".parse().unwrap();
    let started = InvocationStarted {
        invocation,
        turn: 0,
        call: CallId("c".into()),
        tool: "timeline_anomalies".into(),
        arguments: arguments.clone(),
        insists: None,
    };
    let ended = InvocationEnded {
        invocation,
        outcome: Outcome::Ok,
        completeness: Completeness::Complete,
        normalised: Some(arguments),
        output: Some(output.digest()),
        records: output.count() as u32,
        bytes: 1,
        shown: Vec::new(),
        defects: Vec::new(),
        gaps: Vec::new(),
        notes: Vec::new(),
    };
    ClockListing::of(&started, &ended, Some(output))
}

#[test]
fn a_listing_that_leaves_steps_out_is_none() {
    let output = Output::new(Vec::new()).unwrap();
    assert!(listed_by(json!({ "record": "clock_step", "limit": 1000 }), &output).is_some());
    for (name, value) in [("exclude", json!("Security")), ("text", json!("a")), ("offset", json!(1))] {
        let mut arguments = json!({ "record": "clock_step" });
        arguments[name] = value;
        assert!(listed_by(arguments, &output).is_none(), "{name}");
    }
}

enum Says {
    Order,
    Within(u64),
}

/// Returns the number of listings behind a derivation, or why it is refused.
fn derived(says: &Says, facts: &[FactEntry], listings: &[ClockListing]) -> Result<usize, String> {
    let terms = (0..facts.len()).map(|number| Term { fact: id(number), field: "v".into() }).collect();
    let derivation = match says {
        Says::Order => Derivation::Order { terms },
        Says::Within(seconds) => Derivation::Within { terms, seconds: *seconds },
    };
    let basis =
        Basis { adding: Adding::Disjoint, follows_dots: true, clocks: Some(listings.iter().collect()) };
    let known = |id| facts.iter().find(|fact: &&FactEntry| fact.id == id);
    match judge_derivation(&derivation, "der-00000001".parse().unwrap(), &basis, known) {
        DerivationVerdict::Derived(derived) => Ok(derived.entry().clocks.len()),
        DerivationVerdict::Refused(rejection) => Err(format!("{} {}", rejection.reason, rejection.hint)),
    }
}

fn pair(first: i128, second: i128) -> [FactEntry; 2] {
    [fact(0, "pc", first, None), fact(1, "pc", second, None)]
}

#[test]
fn an_order_of_times_wants_a_listing_of_the_steps_of_their_clock() {
    let says = Says::Order;
    let refused = derived(&says, &pair(1, 2), &[]).unwrap_err();
    assert!(refused.contains("clock of pc") && refused.contains("timeline_anomalies"), "{refused}");
    assert!(derived(&says, &pair(1, 2), &[listing(&[], Some("other"))]).is_err());
    assert_eq!(derived(&says, &pair(1, 2), &[listing(&[], Some("pc"))]), Ok(1));
    assert_eq!(derived(&says, &pair(1, 2), &[listing(&[], None), listing(&[], None)]), Ok(1));
}

#[test]
fn times_in_a_stretch_that_the_clock_went_through_twice_are_in_no_sure_order() {
    // At 3600 the clock was set back to 0.
    let set_back = [listing(&[(3600, 0)], None)];
    for (first, second, is_sure) in [
        (-9000, -8000, true),
        (-8000, 1800, true),
        (-8000, 9000, true),
        (1800, 9000, true),
        (8000, 9000, true),
        (600, 1800, false),
        (0, 3600, false),
        (1800, 600, false),
        // Nobody knows how long the log was silent around the step.
        (-600, 3700, false),
        (-3000, 7000, false),
    ] {
        let told = derived(&Says::Order, &pair(first, second), &set_back);
        assert_eq!(told.is_ok(), is_sure, "{first} {second}: {told:?}");
        if let Err(told) = told {
            assert!(told.contains("went through that time twice"), "{told}");
        }
    }
    // Other logs report the same step, a little later and earlier.
    let told_often = [listing(&[(3600, 0), (3590, 2), (3700, 5)], None)];
    assert!(derived(&Says::Order, &pair(3601, 3650), &told_often).is_err());
}

#[test]
fn records_of_one_log_are_in_the_order_of_their_numbers() {
    let set_back = [listing(&[(3600, 0)], None)];
    let numbered = |first: (i128, i128), second: (i128, i128)| {
        [fact(0, "pc", first.0, Some(first.1)), fact(1, "pc", second.0, Some(second.1))]
    };
    assert!(derived(&Says::Order, &numbered((3600, 7), (10, 8)), &set_back).is_ok());
    assert!(derived(&Says::Order, &numbered((10, 8), (3600, 7)), &set_back).is_err());
    // A late writer does not contradict the clock.
    let never = [listing(&[], None)];
    assert!(derived(&Says::Order, &numbered((101, 7), (100, 8)), &never).is_err());
    assert!(derived(&Says::Order, &numbered((100, 8), (101, 7)), &never).is_ok());
}

#[test]
fn a_span_across_a_step_is_longer_by_it() {
    let set_back = [listing(&[(3600, 0)], None)];
    let within = |seconds, first, second| derived(&Says::Within(seconds), &pair(first, second), &set_back);
    assert!(within(10, -8000, -7991).is_ok());
    assert!(within(10, 8000, 8009).is_ok());
    assert!(within(20, -10, 9).is_err());
    assert!(within(3620, -10, 9).is_err());
    assert!(within(3 * 3600 + 20, -10, 9).is_ok());
}

#[test]
fn what_logs_of_a_channel_tell_that_were_kept_one_after_the_other_adds_up() {
    // The clock runs through the same hour five times: 18,000 seconds from its first beginning to its last end.
    let steps: Vec<(i128, i128)> = (0..4).map(|number| (3600, number)).collect();
    let within = |seconds| derived(&Says::Within(seconds), &pair(0, 3600), &[kept_listing(&steps)]);
    assert!(within(17_000).is_err());
    assert!(within(60_000).is_ok());
}

#[test]
fn beside_the_clock_of_another_host_a_time_in_such_a_stretch_may_be_off_by_its_length() {
    let set_back = [listing(&[(3600, 0)], None)];
    let across = |own, other| [fact(0, "pc", own, None), fact(1, "other", other, None)];
    assert!(derived(&Says::Order, &across(-8000, -7990), &set_back).is_ok());
    assert!(derived(&Says::Order, &across(10, 3000), &set_back).is_err());
    assert!(derived(&Says::Order, &across(10, 11_000), &set_back).is_ok());
}

proptest! {
    /// A clock that is set back several times is read at random moments: whatever is derived from the readings is true of what happened.
    #[test]
    fn whatever_is_derived_is_true_of_what_happened(
        steps in proptest::collection::vec((10i128..2000, 1i128..3000), 0..4),
        moments in proptest::collection::vec(0i128..8000, 2..5),
        seconds in 0u64..4000,
    ) {
        // When each step happens on a clock that nobody sets, and its length.
        let mut at = 0;
        let steps: Vec<(i128, i128)> = steps.into_iter().map(|(after, by)| { at += after; (at, by) }).collect();
        let reading = |moment: i128| {
            moment - steps.iter().filter(|step| step.0 <= moment).map(|step| step.1).sum::<i128>()
        };
        let told: Vec<(i128, i128)> = steps.iter().map(|step| (reading(step.0 - 1) + 1, reading(step.0))).collect();
        let facts: Vec<FactEntry> =
            moments.iter().enumerate().map(|(number, at)| fact(number, "pc", reading(*at), None)).collect();
        let listings = [listing(&told, None)];
        if derived(&Says::Order, &facts, &listings).is_ok() {
            prop_assert!(moments.is_sorted(), "{moments:?} {steps:?}");
        }
        let longest = moments.iter().max().unwrap() - moments.iter().min().unwrap();
        if derived(&Says::Within(seconds), &facts, &listings).is_ok() {
            prop_assert!(longest <= i128::from(seconds), "{moments:?} {steps:?} {seconds}");
        }
    }
}
