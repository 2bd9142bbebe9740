//! A playbook in progress: which calls are due, and which answers are awaited.

use super::lessons;
use super::plan::{RecordRule, Step};
use super::recovery;
use super::template::{Context, fill, fill_value};
use ledger::event::Refusal;
use ledger::pattern::Patterns;
use ledger::turn::{
    Advice, Answer, Message, Page, ReadingResult, Recorded, Reply, ReplyBlock, Returned, ToolCall,
    TurnRequest, UserBlock,
};
use ledger::{
    CallId, Clock, Completeness, FieldValue, InvocationId, Lessons, Outcome, Predicate, Record, RecordId,
    ToolClass, ToolSpec, Vocabulary, is_earlier,
};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::LazyLock;

/// The most calls of one turn; an engine that allows fewer refuses the rest, and they are made again.
const CALLS_A_TURN: usize = 16;
/// The most pages of one output that are asked for at once.
const PAGES_AT_ONCE: usize = 12;
/// The most readings of one record call.
const READINGS_A_CALL: usize = 32;
/// What the record of any file proves, wherever the file is.
const RECORDED: &str = "recorded";
/// The interpretation recorded with records of files in unusual places.
const ELSEWHERE: &str =
    "what files say that stand where Windows keeps no such files: anybody can have put them there";
/// The tool that ends a phase with a surface on which nothing can be investigated.
const NOTHING_TO_RECORD: &str = "nothing_to_record";

#[derive(Debug)]
pub(crate) struct Run {
    steps: Vec<Step>,
    /// How many of the steps are the playbook's own; the others came from recovery.
    own: usize,
    due: VecDeque<Call>,
    awaited: BTreeMap<CallId, Call>,
    /// Results being read, by number.
    errands: BTreeMap<usize, Errand>,
    begun: usize,
    calls: u32,
    /// What was already asked to be recorded: an identical call gets the same invocation, whose records need no second reading.
    recorded: BTreeSet<(usize, InvocationId, RecordId)>,
    /// The calls of steps that were made or are due, as texts: an identical call has the same answer.
    planned: BTreeSet<(usize, String)>,
    /// How many calls were due when their tool was no longer offered.
    unmade: u32,
    /// How many calls the engine refused for good.
    refused: u32,
    /// Calls that a lesson of earlier runs advises against: they are made when nothing else is due.
    held: VecDeque<Call>,
    /// How many of them were not made, because their questions were answered.
    spared: u32,
    /// Whether the first turn was asked for.
    has_begun: bool,
}

#[derive(Debug, Clone)]
struct Call {
    tool: String,
    arguments: Map<String, Value>,
    /// What to do with its answer.
    then: Then,
}

/// What to do with an answer.
#[derive(Debug, Clone)]
enum Then {
    /// Nothing.
    Done,
    /// Take the records for the errand with this number; they are recorded and lead to further calls.
    Result(usize),
    /// Add the entities that the facts name, each by its reading's position.
    Names(Vec<Option<Thing>>),
}

/// An entity for the graph.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Thing {
    kind: String,
    name: String,
}

/// The reading of one step's result: the call itself, then the pages of its output.
#[derive(Debug, Clone)]
struct Errand {
    step: usize,
    context: Context,
    /// The invocation whose output is read, once there is one.
    invocation: Option<InvocationId>,
    /// How many of its calls are not answered yet.
    open: usize,
    /// Whether the last pages showed something new.
    progress: bool,
    /// The records taken so far: a page may repeat some of them, for example after a view of head and tail.
    taken: BTreeSet<RecordId>,
    /// The records that rules matched on the pages so far, by rule number.
    /// They are recorded with the last page, so that related records stay together.
    fitting: BTreeMap<usize, Vec<Record>>,
}

impl Run {
    pub(crate) fn new(steps: Vec<Step>) -> Run {
        let mut run = Run {
            own: steps.len(),
            steps,
            due: VecDeque::new(),
            awaited: BTreeMap::new(),
            errands: BTreeMap::new(),
            begun: 0,
            calls: 0,
            recorded: BTreeSet::new(),
            planned: BTreeSet::new(),
            unmade: 0,
            refused: 0,
            held: VecDeque::new(),
            spared: 0,
            has_begun: false,
        };
        for index in run.steps_for(None) {
            run.plan(index, Context::new());
        }
        run
    }

    pub(crate) fn reply(&mut self, request: &TurnRequest) -> Reply {
        if let Some(Message::User(blocks)) = request.messages.last().map(AsRef::as_ref) {
            for block in blocks {
                match block {
                    UserBlock::Answer { call, answer } => self.take(call, answer),
                    UserBlock::Recovery(advice) => self.recover(advice, &request.tools),
                    UserBlock::Text { .. } | UserBlock::Distilled(_) => {}
                }
            }
        }
        if !std::mem::replace(&mut self.has_begun, true) {
            self.best_first(&request.lessons);
        }
        self.hold(&request.lessons);
        if self.due.is_empty() {
            self.insist(request);
        }
        let offered = |tool: &str| request.tools.iter().any(|spec| spec.name == tool);
        let (due, unmade): (Vec<Call>, Vec<Call>) = self.due.drain(..).partition(|call| offered(&call.tool));
        self.due = due.into();
        self.unmade += u32::try_from(unmade.len()).unwrap_or(u32::MAX);
        for call in unmade {
            if let Then::Result(number) = call.then {
                // What its pages have shown so far is recorded.
                self.answered(number, None);
            }
        }
        let number = self.due.len().min(CALLS_A_TURN);
        let mut blocks: Vec<_> = Vec::with_capacity(number);
        for call in self.due.drain(..number).collect::<Vec<_>>() {
            blocks.push(ReplyBlock::Call(self.make(call)));
        }
        if blocks.is_empty() {
            let can_investigate = request.tools.iter().any(|spec| spec.class == ToolClass::Investigate);
            blocks.push(self.nothing_left(!can_investigate && offered(NOTHING_TO_RECORD)));
        }
        Reply { blocks }
    }

    /// Moves the calls that earlier runs recommend to the front, the best match first; the others keep their order.
    fn best_first(&mut self, lessons: &Lessons) {
        let place = |call: &Call| lessons.preference(&call.tool, &call.arguments).unwrap_or(usize::MAX);
        self.due.make_contiguous().sort_by_key(place);
    }

    /// Holds back the calls that a lesson advises against; calls suggested by recovery are not held back.
    fn hold(&mut self, lessons: &Lessons) {
        if !lessons.may_refuse() {
            return;
        }
        let step = |call: &Call| match &call.then {
            Then::Result(number) => self.errands.get(number).map(|errand| errand.step),
            Then::Done | Then::Names(_) => None,
        };
        let is_own = |call: &Call| step(call).is_none_or(|step| step < self.own);
        let is_held = |call: &Call| is_own(call) && !lessons.against(&call.tool, &call.arguments).is_empty();
        let (held, due): (VecDeque<Call>, VecDeque<Call>) = self.due.drain(..).partition(is_held);
        self.due = due;
        self.held.extend(held);
    }

    /// Makes the calls that were held back. A call that failed over this very evidence is left out if its questions are answered.
    /// Lessons about other evidence do not justify that.
    fn insist(&mut self, request: &TurnRequest) {
        for mut call in std::mem::take(&mut self.held) {
            let errand = match &call.then {
                Then::Result(number) => self.errands.get(number).map(|errand| (*number, errand.step)),
                Then::Done | Then::Names(_) => None,
            };
            match errand {
                Some((number, step))
                    if lessons::is_of_this_call(&request.lessons, &call.tool, &call.arguments)
                        && !lessons::is_for_open(&self.steps, step, request) =>
                {
                    self.spared += 1;
                    self.answered(number, None);
                }
                Some(_) | None => {
                    ledger::lessons::insisting(&mut call.arguments, lessons::REASON);
                    self.due.push_back(call);
                }
            }
        }
    }

    /// Stops; on the record-only surface by calling the tool for it.
    fn nothing_left(&mut self, by_call: bool) -> ReplyBlock {
        let text = self.summary();
        match by_call {
            false => ReplyBlock::Text { text },
            true => {
                let arguments = Map::from_iter([("reason".to_owned(), Value::String(text))]);
                let call = Call { tool: NOTHING_TO_RECORD.into(), arguments, then: Then::Done };
                ReplyBlock::Call(self.make(call))
            }
        }
    }

    fn summary(&self) -> String {
        let mut text = match self.unmade {
            0 => "The playbook has made all its calls and recorded what they returned.".to_owned(),
            unmade => format!(
                "The playbook recorded what its calls returned; {unmade} due calls were not made, because their tools are not offered."
            ),
        };
        if self.spared > 0 {
            let calls = if self.spared == 1 {
                "call that failed in an earlier run was"
            } else {
                "calls that failed in earlier runs were"
            };
            text.push_str(&format!(
                " {} {calls} not made, because the questions behind it are answered.",
                self.spared
            ));
        }
        if self.refused > 0 {
            text.push_str(&format!(" {} calls were refused.", self.refused));
        }
        text
    }

    fn make(&mut self, call: Call) -> ToolCall {
        self.calls += 1;
        let id = CallId(format!("call-{}", self.calls));
        let made = ToolCall {
            call: id.clone(),
            tool: call.tool.clone(),
            arguments: Value::Object(call.arguments.clone()),
        };
        self.awaited.insert(id, call);
        made
    }

    fn take(&mut self, id: &CallId, answer: &Answer) {
        let Some(call) = self.awaited.remove(id) else { return };
        match (answer, call.then) {
            (Answer::Refused { refusal: Refusal::TooManyCalls, .. }, then) => {
                self.due.push_back(Call { tool: call.tool, arguments: call.arguments, then });
            }
            (Answer::Refused { refusal: Refusal::Remembered, .. }, then) => {
                self.held.push_back(Call { tool: call.tool, arguments: call.arguments, then });
            }
            (Answer::Refused { .. }, then) => {
                self.refused += 1;
                if let Then::Result(number) = then {
                    self.answered(number, None);
                }
            }
            (Answer::Returned(returned), Then::Result(number)) => match &returned.page {
                Some(page) if returned.outcome == Outcome::Ok => self.answered(number, Some(page)),
                Some(_) | None => self.absent(number, returned),
            },
            (Answer::Page(page), Then::Result(number)) => self.answered(number, Some(page)),
            (Answer::Recorded(recorded), Then::Names(things)) => self.name(&things, recorded),
            (
                Answer::Returned(_)
                | Answer::Page(_)
                | Answer::Recorded(_)
                | Answer::Absence(_)
                | Answer::Derivation(_)
                | Answer::Node { .. }
                | Answer::Nodes { .. }
                | Answer::Recalled(_)
                | Answer::Cut(_)
                | Answer::Reported(_)
                | Answer::Stored { .. }
                | Answer::Artifact { .. }
                | Answer::Sentences { .. }
                | Answer::Statements { .. }
                | Answer::Noted { .. },
                _,
            ) => {}
        }
    }

    /// Records an absence if a step found nothing and everything was searched.
    fn absent(&mut self, number: usize, returned: &Returned) {
        let Some(errand) = self.errands.remove(&number) else { return };
        let whole = (returned.outcome, returned.completeness) == (Outcome::Empty, Completeness::Complete)
            && returned.gaps.is_empty()
            && returned.defects.is_empty();
        let rule = self.steps.get(errand.step).and_then(|step| step.absence.as_ref()).filter(|_| whole);
        let Some(rule) = rule else { return };
        let filled = rule.of.iter().map(|(name, value)| (name.clone(), fill_value(value, &errand.context)));
        let mut arguments: Map<String, Value> = filled.collect();
        arguments.insert("searches".to_owned(), json!([returned.invocation.to_string()]));
        arguments.insert("interpretation".to_owned(), Value::String(fill(&rule.note, &errand.context)));
        self.due.push_back(Call { tool: "record_absence".into(), arguments, then: Then::Done });
    }

    /// Adds the entities that accepted readings name, each with all the facts of this call that name it.
    fn name(&mut self, things: &[Option<Thing>], recorded: &Recorded) {
        let mut named: BTreeMap<&Thing, Vec<String>> = BTreeMap::new();
        for (thing, reading) in things.iter().zip(&recorded.readings) {
            if let (Some(thing), ReadingResult::Accepted { fact, .. }) = (thing, reading) {
                named.entry(thing).or_default().push(fact.to_string());
            }
        }
        for (thing, facts) in named {
            let arguments = Map::from_iter([
                ("kind".to_owned(), json!(thing.kind)),
                ("name".to_owned(), json!(thing.name)),
                ("facts".to_owned(), json!(facts)),
            ]);
            self.due.push_back(Call { tool: "add_entity".into(), arguments, then: Then::Done });
        }
    }

    /// Takes the records of an answer. When all answers are in, asks for more pages, or records the matches.
    fn answered(&mut self, number: usize, page: Option<&Page>) {
        let Some(mut errand) = self.errands.remove(&number) else { return };
        errand.open = errand.open.saturating_sub(1);
        let mut shown = 1;
        if let Some(page) = page {
            let fresh: Vec<&Record> =
                page.records().filter(|record| errand.taken.insert(record.id)).collect();
            errand.invocation = Some(page.invocation);
            errand.progress |= !fresh.is_empty();
            shown = fresh.len().max(1);
            self.select(&mut errand, page.invocation, &fresh);
            self.follow(&errand, &fresh);
        }
        if errand.open == 0 {
            self.page_on(number, &mut errand, page, shown);
        }
        if errand.open > 0 {
            self.errands.insert(number, errand);
        } else if let Some(invocation) = errand.invocation {
            self.record(&errand, invocation);
        }
    }

    /// Asks for pages that were not shown, spaced by as many records as the last page showed; what lies between is asked for afterwards.
    fn page_on(&mut self, number: usize, errand: &mut Errand, page: Option<&Page>, shown: usize) {
        // If pages show nothing new, asking again would never end.
        let Some(page) = page.filter(|_| std::mem::take(&mut errand.progress)) else { return };
        let hidden = page.output.records().iter().filter(|record| !errand.taken.contains(&record.id));
        let first: Vec<_> = hidden.step_by(shown).take(PAGES_AT_ONCE).map(|record| record.id).collect();
        errand.open = first.len();
        for id in first.into_iter().rev() {
            let arguments = Map::from_iter([
                ("invocation".to_owned(), json!(page.invocation.to_string())),
                ("first".to_owned(), json!(id.to_string())),
            ]);
            let then = Then::Result(number);
            self.due.push_front(Call { tool: "read_output".into(), arguments, then });
        }
    }

    /// Keeps the records that a rule of the step wants.
    fn select(&mut self, errand: &mut Errand, invocation: InvocationId, records: &[&Record]) {
        let Some(step) = self.steps.get(errand.step) else { return };
        let unread: Vec<&Record> = records
            .iter()
            .copied()
            .filter(|record| self.recorded.insert((errand.step, invocation, record.id)))
            .collect();
        for record in unread {
            let mut taken = false;
            for (number, rule) in step.record.iter().enumerate() {
                let kept = errand.fitting.entry(number).or_default();
                let room = rule.most.is_none_or(|most| kept.len() < most);
                if !(rule.otherwise && taken) && wants(rule, record) {
                    taken = true;
                    if room {
                        kept.push(record.clone());
                    }
                }
            }
        }
    }

    /// Claims the matches of a whole result, rule by rule.
    fn record(&mut self, errand: &Errand, invocation: InvocationId) {
        let Some(step) = self.steps.get(errand.step) else { return };
        for (rule, records) in
            errand.fitting.iter().filter_map(|(number, records)| Some((step.record.get(*number)?, records)))
        {
            let (proving, elsewhere): (Vec<&Record>, Vec<&Record>) =
                records.iter().partition(|record| predicate(rule, record) == rule.predicate);
            for records in proving.chunks(READINGS_A_CALL) {
                self.due.push_back(record_call(rule, invocation, records, &errand.context));
            }
            for records in elsewhere.chunks(READINGS_A_CALL) {
                self.due.push_back(recorded_elsewhere(rule, invocation, records));
            }
        }
    }

    /// Plans the steps that are made for each of these records.
    fn follow(&mut self, errand: &Errand, records: &[&Record]) {
        let Some(id) = self.steps.get(errand.step).map(|step| step.id.clone()) else { return };
        for later in self.steps_for(Some(&id)) {
            let Some(step) = self.steps.get(later) else { continue };
            let fits = |record: &&&Record| all_fit(&step.when, record) && !any_fits(&step.unless, record);
            let contexts: Vec<Context> = records
                .iter()
                .filter(fits)
                .map(|record| {
                    let mut context = errand.context.clone();
                    context.insert(id.clone(), (*record).clone());
                    context
                })
                .collect();
            for context in contexts {
                self.plan(later, context);
            }
        }
    }

    fn steps_for(&self, earlier: Option<&str>) -> Vec<usize> {
        let steps = self.steps.iter().enumerate();
        steps.filter(|(_, step)| step.for_each.as_deref() == earlier).map(|(index, _)| index).collect()
    }

    fn plan(&mut self, index: usize, context: Context) {
        let Some(step) = self.steps.get(index) else { return };
        let arguments: Map<String, Value> =
            step.arguments.iter().map(|(name, value)| (name.clone(), fill_value(value, &context))).collect();
        // Several records may lead to the same call, for example several logs of a channel.
        if !self.planned.insert((index, Value::Object(arguments.clone()).to_string())) {
            return;
        }
        if let Some(call) = self.begin(index, context, arguments) {
            self.due.push_back(call);
        }
    }

    /// Takes up a recovery: its calls come before everything that is due.
    fn recover(&mut self, advice: &Advice, tools: &[ToolSpec]) {
        for step in recovery::steps(advice, tools).into_iter().rev() {
            let arguments = step.arguments.clone();
            self.steps.push(step);
            if let Some(call) = self.begin(self.steps.len() - 1, Context::new(), arguments) {
                self.due.push_front(call);
            }
        }
    }

    /// Returns the first call of a step, and awaits its result.
    fn begin(&mut self, index: usize, context: Context, arguments: Map<String, Value>) -> Option<Call> {
        let tool = self.steps.get(index)?.tool.clone();
        let errand = Errand {
            step: index,
            context,
            invocation: None,
            open: 1,
            progress: false,
            taken: BTreeSet::new(),
            fitting: BTreeMap::new(),
        };
        let number = self.begun;
        self.begun += 1;
        self.errands.insert(number, errand);
        Some(Call { tool, arguments, then: Then::Result(number) })
    }
}

fn wants(rule: &RecordRule, record: &Record) -> bool {
    all_fit(&rule.when, record)
        && !any_fits(&rule.unless, record)
        && rule
            .earlier
            .as_ref()
            .is_none_or(|fields| is_earlier(fields, |name| record.fields.get(name).map(|field| &field.value)))
}

fn all_fit(when: &BTreeMap<String, Patterns>, record: &Record) -> bool {
    // One matching item of a list is enough, as for the conditions of objectives.
    when.iter().all(|wanted| fits(wanted, record) || an_item_fits(wanted, record))
}

fn any_fits(unless: &BTreeMap<String, Patterns>, record: &Record) -> bool {
    unless.iter().any(|unwanted| fits(unwanted, record))
}

/// Checks whether a field matches one of its patterns; `record` is the record's type.
fn fits((field, patterns): (&String, &Patterns), record: &Record) -> bool {
    match field.as_str() {
        "record" => patterns.fit(&record.kind),
        field => record.fields.get(field).is_some_and(|field| patterns.fit(&field.value.to_text())),
    }
}

fn an_item_fits((field, patterns): (&String, &Patterns), record: &Record) -> bool {
    match record.fields.get(field).map(|field| &field.value) {
        Some(FieldValue::List(items)) => items.iter().any(|item| patterns.fit(item)),
        Some(_) | None => false,
    }
}

/// Records what files in unusual places say, whoever wrote them.
fn recorded_elsewhere(rule: &RecordRule, invocation: InvocationId, records: &[&Record]) -> Call {
    phenomenon(rule, invocation, records, ELSEWHERE.to_owned(), Then::Done)
}

fn record_call(rule: &RecordRule, invocation: InvocationId, records: &[&Record], context: &Context) -> Call {
    let things: Vec<_> = records.iter().map(|record| thing(rule, record)).collect();
    let then = if things.iter().any(Option::is_some) { Then::Names(things) } else { Then::Done };
    phenomenon(rule, invocation, records, fill(&rule.note, context), then)
}

fn phenomenon(
    rule: &RecordRule,
    invocation: InvocationId,
    records: &[&Record],
    interpretation: String,
    then: Then,
) -> Call {
    let readings = records.iter().map(|record| reading(rule, invocation, record)).collect();
    let arguments = Map::from_iter([
        ("readings".to_owned(), Value::Array(readings)),
        ("interpretation".to_owned(), Value::String(interpretation)),
    ]);
    Call { tool: "record_phenomenon".into(), arguments, then }
}

/// Returns the entity that a record names, if the rule says that it names one.
fn thing(rule: &RecordRule, record: &Record) -> Option<Thing> {
    let entity = rule.entity.as_ref()?;
    let name = record.fields.get(&entity.field)?.value.to_text().into_owned();
    Some(Thing { kind: entity.kind.clone(), name })
}

/// Returns the predicate that a record proves under a rule.
/// If its file is in an unusual place, or another field denies the rule's predicate, it only proves that it is recorded there.
fn predicate<'r>(rule: &'r RecordRule, record: &Record) -> &'r str {
    static SHIPPED: LazyLock<Option<Vocabulary>> = LazyLock::new(|| Vocabulary::shipped().ok());
    let wanted = Predicate(rule.predicate.clone());
    let meaning = SHIPPED.as_ref().and_then(|vocabulary| vocabulary.meaning(&wanted));
    let is_placed = meaning.is_none_or(|meaning| meaning.is_proved_at(record.placement));
    if is_placed && !ledger::denies(record, &wanted) { &rule.predicate } else { RECORDED }
}

fn reading(rule: &RecordRule, invocation: InvocationId, record: &Record) -> Value {
    let mut values = Vec::new();
    for name in &rule.values {
        match record.fields.get(name).map(|field| &field.value) {
            // Each item of a list is a value of its own.
            Some(FieldValue::List(items)) => {
                let items = items.iter().filter(|item| !item.trim().is_empty());
                values.extend(items.map(|item| json!({"field": name, "value": item})));
            }
            // The time of a copy says nothing about the host.
            Some(FieldValue::Time(time)) if time.clock == Clock::CollectionCopy => {}
            // An empty value says nothing that could be claimed.
            Some(value) if !value.to_text().trim().is_empty() => {
                values.push(json!({"field": name, "value": value.to_text()}));
            }
            Some(_) | None => {}
        }
    }
    json!({
        "predicate": predicate(rule, record),
        "values": values,
        "invocation": invocation.to_string(),
        "record": record.id.to_string(),
    })
}
