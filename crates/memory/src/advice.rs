//! Recalls lessons for an agent: those that match its questions, as lines written by code.

use crate::lesson::{Conditions, KindOfEvidence, Lesson, Outcome, Trouble};
use crate::store::{Found, Kept, Scope, Store, StoreError};
use crate::vocabulary::Vocabulary;
use crate::words::words;
use ledger::event::Refusal;
use ledger::{CallForm, Cause, LessonRule, Refuses, RememberedLesson, ValueKind};
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The most lessons that one agent is told.
const MOST: usize = 10;
/// The most lessons about calls of one form among them.
const OF_ONE_FORM: usize = 3;
/// The seconds in a day.
const DAY: i64 = 86_400;
/// The number of days after which a lesson's rank is halved.
const HALF: f64 = 180.0;
/// The factor for lessons from the same kind of evidence.
const SAME_KIND: f64 = 1.5;
/// The resolution of ranks: lessons that match equally well are ordered by age.
const STEPS: f64 = 1_000.0;

/// What is searched for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Words of the questions.
    pub words: BTreeSet<String>,
    /// What is known about the evidence: its kinds, and what earlier runs on it showed.
    pub known: Conditions,
    /// The asking agent: another agent's misuse of a tool is not worth recalling.
    pub agent: Option<String>,
}

impl Query {
    /// Makes the query of an agent with these questions, given as texts.
    pub fn of<'q>(agent: &str, questions: impl IntoIterator<Item = &'q str>, known: Conditions) -> Query {
        let words = questions.into_iter().flat_map(words).collect();
        Query { words, known, agent: Some(agent.to_owned()) }
    }

    /// Checks whether a lesson is meant for the asking agent.
    fn is_for(&self, lesson: &Lesson) -> bool {
        lesson.outcome != Outcome::Refused || lesson.agent == self.agent
    }
}

/// Returns what is known about evidence of these kinds before a run begins: the conditions of lessons from the same evidence.
///
/// # Errors
///
/// [`StoreError`]: the store cannot be read.
pub fn known(of_case: Option<&Store>, kinds: BTreeSet<KindOfEvidence>) -> Result<Conditions, StoreError> {
    let mut known = Conditions { kinds, ..Conditions::default() };
    for kept in of_case.map(Store::all).transpose()?.unwrap_or_default() {
        let conditions = kept.lesson.conditions;
        known.windows = known.windows.or(conditions.windows);
        known.sources.extend(conditions.sources);
    }
    Ok(known)
}

/// Returns at most ten lessons of these stores that match a query, ranked by how well the words match, by age, and by support.
///
/// Empty if no word of a question matches. Complete searches that found nothing are never included.
///
/// # Errors
///
/// [`StoreError`]: a store cannot be read.
pub fn advice(
    stores: &[&Store],
    vocabulary: &Vocabulary,
    query: &Query,
    now: i64,
) -> Result<Vec<RememberedLesson>, StoreError> {
    let mut ranked: Vec<(i64, Kept, LessonRule)> = Vec::new();
    for store in stores {
        for found in store.find(&query.words, false)? {
            let Some(rule) = found.kept.lesson.outcome.rule() else { continue };
            let rank = rank(&found, query, now);
            // Anyone could have made the file: only closed, shipped text of it is used.
            let lesson = match store.scope() {
                Scope::General => found.kept.lesson.generalised(vocabulary),
                Scope::Case => Some(found.kept.lesson.clone()),
            };
            let is_doubtful = found.kept.contradicted > found.kept.seen;
            if let Some(lesson) = lesson.filter(|lesson| !is_doubtful && query.is_for(lesson)) {
                ranked.push((rank, Kept { lesson, ..found.kept }, rule));
            }
        }
    }
    ranked.sort_by(by_rank);
    without_repeats(&mut ranked);
    ranked.truncate(MOST);
    Ok(ranked.into_iter().map(|(_, kept, rule)| remembered(&kept, rule, &query.known)).collect())
}

/// Removes general lessons that say the same as a lesson of this evidence, wherever each is ranked, and removes repetitions.
fn without_repeats(ranked: &mut Vec<(i64, Kept, LessonRule)>) {
    let saying =
        |kept: &Kept, rule: LessonRule| (rule, kept.lesson.call.clone(), kept.lesson.question.clone());
    let of_case = ranked.iter().filter(|(_, kept, _)| kept.scope == Scope::Case);
    let of_case: BTreeSet<_> = of_case.map(|(_, kept, rule)| saying(kept, *rule)).collect();
    let mut said: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    ranked.retain(|(_, kept, rule)| {
        let says = saying(kept, *rule);
        let is_again = kept.scope == Scope::General && of_case.contains(&says);
        // Failed calls of one form are separate lessons, because each is refused separately; only a few are kept, to leave room for others.
        let calls = said.entry(says).or_default();
        !is_again && calls.len() < OF_ONE_FORM && calls.insert(kept.lesson.very().copied())
    });
}

fn by_rank(one: &(i64, Kept, LessonRule), other: &(i64, Kept, LessonRule)) -> Ordering {
    let ((a, first, _), (b, second, _)) = (one, other);
    let of_case = |kept: &Kept| kept.scope == Scope::Case;
    b.cmp(a)
        .then_with(|| second.last.cmp(&first.last))
        .then_with(|| of_case(second).cmp(&of_case(first)))
        .then_with(|| first.id.cmp(&second.id))
}

/// Returns a lesson's rank; ages are counted in whole days, so that a run one second later ranks the same.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a rank beyond the range of whole numbers is the highest"
)]
fn rank(found: &Found, query: &Query, now: i64) -> i64 {
    let days = (now.saturating_sub(found.kept.last).max(0) / DAY) as f64;
    let is_same_kind = !found.kept.lesson.conditions.kinds.is_disjoint(&query.known.kinds);
    let of_kind = if is_same_kind { SAME_KIND } else { 1.0 };
    let rank = found.fit.max(0.0) * found.kept.weight() * of_kind * HALF / (HALF + days);
    (rank * STEPS).round() as i64
}

fn remembered(kept: &Kept, rule: LessonRule, known: &Conditions) -> RememberedLesson {
    let call = kept.lesson.call.as_ref();
    let arguments = call.map(CallForm::told).unwrap_or_default();
    RememberedLesson {
        id: kept.id.clone(),
        rule,
        text: told(kept),
        tool: call.map(|call| call.tool.clone()),
        arguments,
        refuses: refuses(kept, known),
        seen: kept.seen,
        contradicted: kept.contradicted,
    }
}

/// Returns which calls a lesson refuses: those that could not run.
/// A call that ran but left something unread is not refused, and neither is a call because of refused claims about its records.
/// These are judged when they happen.
fn refuses(kept: &Kept, known: &Conditions) -> Option<Refuses> {
    let lesson = &kept.lesson;
    if lesson.outcome != Outcome::Failed || lesson.call.is_none() {
        return None;
    }
    match kept.scope {
        Scope::Case => lesson.very().copied().map(Refuses::Call),
        Scope::General => (lesson.holds_under(known) && !depends_on_value(lesson)).then_some(Refuses::Form),
    }
}

/// Checks whether a value that the lesson does not hold may be the reason for the failure, such as a query or a path: another value may work.
/// another value may work.
///
/// A number or path that a tool cannot use is out of its bounds in every case.
fn depends_on_value(lesson: &Lesson) -> bool {
    let is_of_arguments = lesson.trouble == Some(Trouble::Cause(Cause::Arguments));
    let is_open = |kind: &ValueKind| match kind {
        ValueKind::Choice(_) | ValueKind::Flag => false,
        ValueKind::Number | ValueKind::Path => !is_of_arguments,
        ValueKind::Pattern | ValueKind::Text | ValueKind::List | ValueKind::Object => true,
    };
    lesson.call.iter().flat_map(|call| call.arguments.values()).any(is_open)
}

/// Writes a lesson in fixed words, on one line.
pub fn told(kept: &Kept) -> String {
    let Kept { lesson, seen, contradicted, .. } = kept;
    let mut line = said(lesson);
    let tasks = if *seen == 1 { "task" } else { "tasks" };
    let _ = write!(line, " ({seen} {tasks}");
    if *contradicted > 0 {
        let _ = write!(line, "; the opposite in {contradicted}");
    }
    line.push(')');
    line
}

fn said(lesson: &Lesson) -> String {
    let call = lesson.call.as_ref().map_or_else(|| "a call".to_owned(), |call| called(call, lesson));
    let question = question(lesson);
    let agent = lesson.agent.as_deref().unwrap_or("an agent");
    match lesson.outcome {
        Outcome::Met => format!("{call} for {question}: its records answered it"),
        Outcome::Recovered => {
            let strategy = lesson.strategy.as_deref().unwrap_or("another way");
            format!("{call} for {question} where it is unanswered: {strategy} answered it")
        }
        Outcome::Empty => format!("{call} for {question}: a complete search found nothing"),
        Outcome::Open => match lesson.trouble {
            Some(Trouble::Cause(Cause::NoSource)) => format!("{question}: the evidence has no source of it"),
            _ => format!("{question}: it stayed open"),
        },
        Outcome::Unfinished if lesson.question.is_some() => format!("{question}: the task was cut short"),
        Outcome::Unfinished => format!("a task of {agent} was cut short"),
        // For this evidence, the lesson is about one specific call, but the line shows only its form.
        Outcome::Failed if lesson.very().is_some() => {
            format!("make the same call {call} again (other values may work): {}", failed(lesson.trouble))
        }
        Outcome::Failed => format!("make {call} again in this form: {}", failed(lesson.trouble)),
        Outcome::Refused => refused(lesson, agent),
        Outcome::Rejected => {
            let predicate = lesson.predicate.as_deref().unwrap_or("a predicate");
            let code = lesson.trouble.map_or("refused", Trouble::name);
            format!("state {predicate} of records of {call}: such claims were refused as {code}")
        }
        Outcome::Gap => format!("take {call} for complete: {}", left_out(lesson)),
    }
}

fn question(lesson: &Lesson) -> String {
    let own = lesson.detail.as_ref().and_then(|detail| detail.question.as_ref());
    match (&lesson.question, own) {
        (Some(id), _) => id.clone(),
        (None, Some(text)) => quoted(text),
        (None, None) => "a question of the owner".to_owned(),
    }
}

/// Says what was wrong with a refused call; the tool itself is not to blame.
fn refused(lesson: &Lesson, agent: &str) -> String {
    let tool = lesson.call.as_ref().map_or("a tool", |call| call.tool.as_str());
    match lesson.trouble {
        Some(Trouble::Refusal(Refusal::BadArguments)) => {
            format!("call {tool} with arguments that do not fit its schema, as {agent} did; help tells them")
        }
        Some(Trouble::Refusal(Refusal::OutsideSurface)) => {
            format!("call {tool} in a phase that does not offer it, as {agent} did")
        }
        trouble => format!("call {tool} as {agent} did: {}", failed(trouble)),
    }
}

/// Writes a call: its choices, and for other arguments the kind or, if the memory of this evidence has it, the value.
fn called(call: &CallForm, lesson: &Lesson) -> String {
    let values = lesson.detail.as_ref().map(|detail| &detail.arguments);
    let argument =
        |(name, kind): (&String, &ValueKind)| match (kind, values.and_then(|values| values.get(name))) {
            (ValueKind::Choice(choice), _) => format!("{name}={choice}"),
            (_, Some(Value::String(text))) => format!("{name}={}", quoted(text)),
            (_, Some(value @ (Value::Bool(_) | Value::Number(_)))) => format!("{name}={value}"),
            (kind, _) => format!("{name}=<{}>", kind.told()),
        };
    let arguments: Vec<String> = call.arguments.iter().map(argument).collect();
    format!("{}({})", call.tool, arguments.join(", "))
}

fn failed(trouble: Option<Trouble>) -> &'static str {
    match trouble {
        Some(Trouble::Cause(cause)) => match cause {
            Cause::NoSuchPath => "nothing is at that path",
            Cause::NoSuchKey => "the hive has no such key",
            Cause::NoSource => "the evidence has no such source",
            Cause::AccessDenied => "it was not allowed to read",
            Cause::Unsupported => "the tool does not read what is there",
            Cause::Unreadable => "what is there could not be read",
            Cause::Arguments => "the tool could not follow its arguments",
        },
        Some(Trouble::Timeout) => "it was stopped at a limit of time; narrow it",
        Some(Trouble::Refusal(refusal)) => match refusal {
            Refusal::OutsideSurface => "its agent may not use this tool then",
            Refusal::UnknownTool => "there is no such tool",
            Refusal::BadArguments => "its arguments did not fit the schema",
            Refusal::Unsupported => "what it added did not rest on the facts that it named",
            Refusal::Remembered => "an earlier lesson spoke against it",
            Refusal::Repeated
            | Refusal::TooManyCalls
            | Refusal::RejectionsSpent
            | Refusal::FactsSpent
            | Refusal::TasksSpent => "a budget was spent",
        },
        Some(Trouble::Rejection(_) | Trouble::Unknown) | None => "it failed",
    }
}

fn left_out(lesson: &Lesson) -> String {
    let why = match lesson.trouble {
        Some(Trouble::Unknown) | None => "something was not examined".to_owned(),
        trouble => format!("something was not examined ({})", failed(trouble)),
    };
    match lesson.detail.as_ref().and_then(|detail| detail.gap.as_ref()) {
        Some(gap) => format!("{why}: {}", quoted(gap)),
        None => why,
    }
}

/// Writes a text of the evidence or of a person as one JSON string: it can end neither its quotation nor the line.
fn quoted(text: &str) -> String {
    let inert = |letter: char| match letter {
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => {
            '\u{fffd}'
        }
        letter if letter.is_control() => '\u{fffd}',
        letter => letter,
    };
    Value::String(text.chars().map(inert).collect()).to_string()
}
