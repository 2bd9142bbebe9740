//! Text output of the command line.

use crate::contradicted::Contradictions;
use crate::inert::terminal;
use crate::select::Selection;
use crate::standing::{asker, beyond, left_open, needs, remarks, standing, standing_word, unsearched};
use crate::story::{self, READING};
use detect::Level;
use graph::{
    Asker, Fate, Question, RefusedClaim, Run, Stands, TaskView, answer_title, fact_title, narrative,
    sentence_text, value_text,
};
use ledger::event::{ClaimAccepted, TaskStatus};
use ledger::{
    BoundValue, Candidate, Chapter, Claim, FactEntry, FactId, Outcome, Reading, Record, RejectionCode,
    TaskId, Tier, ToolClass,
};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Formats every fact: what it says, what it is based on, and each value in full with how it matched and who could have written it.
pub fn facts(run: &Run) -> String {
    let mut out = String::new();
    let beside = Beside::of(run);
    for (task, accepted) in run.facts() {
        fact(&mut out, run, &beside, task, accepted);
    }
    out.push_str(&crate::nodes::text(run));
    let number = run.facts().count();
    let _ = writeln!(out, "{number} facts");
    legend(&mut out, run, number);
    out.push_str(&crate::notes::text(run));
    out
}

/// Formats only the selected facts, and how many the run has.
pub fn facts_of(run: &Run, selection: &Selection) -> String {
    let mut out = String::new();
    let (chosen, beside) = (selection.facts(run), Beside::of(run));
    for (task, accepted) in &chosen {
        fact(&mut out, run, &beside, *task, accepted);
    }
    let _ = writeln!(out, "{} of {} facts", chosen.len(), run.facts().count());
    if selection.is_bound_in_time() {
        match run.facts().filter(|(_, accepted)| graph::dated(&accepted.fact).is_none()).count() {
            0 => {}
            1 => out.push_str("no time dates 1 of them, which --since and --until leave out\n"),
            undated => {
                let _ = writeln!(out, "no time dates {undated} of them, which --since and --until leave out");
            }
        }
    }
    legend(&mut out, run, chosen.len());
    out
}

/// Explains the words for writers, if there are facts with them.
fn legend(out: &mut String, run: &Run, facts: usize) {
    if !run.opened.writers.is_empty() && facts > 0 {
        let _ = writeln!(out, "{}", crate::writers::legend());
    }
}

/// The data shown with a fact that is not among its values.
struct Beside {
    levels: BTreeMap<FactId, Level>,
    /// The supplied rules that match its record.
    brought: BTreeMap<FactId, Vec<u32>>,
}

impl Beside {
    fn of(run: &Run) -> Beside {
        Beside { levels: graph::levels(run), brought: graph::rules_of_facts(run) }
    }
}

fn fact(out: &mut String, run: &Run, beside: &Beside, task: TaskId, accepted: &ClaimAccepted) {
    let fact = &accepted.fact;
    let _ = writeln!(out, "{}  {}", fact.id, terminal(&fact_title(fact)));
    if let Some(level) = beside.levels.get(&fact.id).filter(|level| **level > Level::Ordinary) {
        let _ = writeln!(out, "  {:<8}  is how much it stands out", level.name());
    }
    for rule in
        crate::brought::rules_of(run, beside.brought.get(&fact.id).map(Vec::as_slice).unwrap_or_default())
    {
        let _ = writeln!(out, "  fits {}", terminal(&rule));
    }
    let output = fact.output.short();
    let swept = run.tasks.get(&task).is_some_and(|view| view.assigned.sweep);
    let hunted = run.tasks.get(&task).is_some_and(|view| view.assigned.hunt);
    let by = match (swept, hunted) {
        (true, _) => " (the sweep)",
        (_, true) => " (the hunt)",
        _ => "",
    };
    let _ = write!(out, "  {} {} of {task}{by}, output {output}", fact.invocation, fact.record);
    let _ = match &accepted.healing {
        Some(healing) => writeln!(out, " (citation healed: cited as {})", terminal(&healing.cited)),
        None => writeln!(out),
    };
    let _ = writeln!(out, "  {}", value_text(&fact.locator.to_string()));
    for phenomenon in run.graph.carried_by(fact.id) {
        let _ = writeln!(out, "  carried by {phenomenon}");
    }
    for value in bound(fact) {
        let (field, text) = (terminal(&value.field), value_text(&value.value.to_text()));
        let _ = writeln!(out, "    {field} = {text}");
        if let Some(words) = &value.quotation {
            let _ = writeln!(out, "      quoting {}", terminal(words));
        }
        let at = value.at.map_or(String::new(), |at| format!(", evidence bytes {at}"));
        let writer = value.writer.map_or(String::new(), |writer| format!(", writable by {writer}"));
        let _ = writeln!(out, "      {}, output bytes {}{at}{writer}", tier(value.tier), value.span);
    }
}

/// Returns the values of a fact in full, without repeats: the subject first, unless its field is among the values.
pub(crate) fn bound(fact: &FactEntry) -> impl Iterator<Item = &BoundValue> {
    let stated = fact.values.iter().any(|value| value.field == fact.subject.field);
    std::iter::once(&fact.subject).filter(move |_| !stated).chain(graph::values(fact))
}

/// Formats each question of the case with its status and the facts that answer it, agent by agent.
pub fn answers(run: &Run) -> String {
    let mut out = String::new();
    let questions = graph::questions(run);
    for (task, view) in &run.tasks {
        let agent = &view.assigned.agent.name;
        let _ = writeln!(
            out,
            "{} ({}): {}",
            terminal(agent),
            terminal(&view.assigned.model),
            ended(view, &questions)
        );
        if let Some(failed) = &view.failed {
            let _ = writeln!(out, "  because: {}", terminal(&failed.reason));
        }
        for it in questions.iter().filter(|it| it.tasks.first() == Some(task)) {
            answer(&mut out, run, it);
        }
    }
    handed_to_nobody(&mut out, run, &questions);
    told(&mut out, run);
    out
}

/// Summarises a run on one screen: what stands out, what went wrong, the status of the questions, and which are open.
pub fn summary(run: &Run) -> String {
    let mut out = unread(run);
    out.push_str(&crate::foremost::foremost_text(run));
    out.push_str(&crate::brought::brought_text(run));
    if let Some(line) = crate::contradictions::contradictions_line(run) {
        let _ = writeln!(out, "\n{line}; `locard graph {} contradictions` shows them", terminal(run.name()));
    }
    let questions = graph::questions(run);
    out.push('\n');
    for view in run.tasks.values() {
        let is_done = view.ended.as_ref().is_some_and(|ended| ended.status == TaskStatus::Completed);
        if is_done && view.failed.is_none() {
            continue;
        }
        let (agent, model) = (terminal(&view.assigned.agent.name), terminal(&view.assigned.model));
        let _ = writeln!(out, "{agent} ({model}): {}", ended(view, &questions));
        if let Some(failed) = &view.failed {
            let _ = writeln!(out, "  because: {}", terminal(&failed.reason));
        }
    }
    let of_case: Vec<_> = questions.iter().filter(|it| it.is_of_case()).collect();
    let mut counted: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    for it in &of_case {
        let standing = standing(&it.stands);
        *counted.entry((standing.place, standing.word)).or_default() += 1;
    }
    let counted: Vec<_> = counted.iter().map(|((_, word), number)| format!("{number} {word}")).collect();
    let _ = writeln!(out, "{} questions: {}", of_case.len(), counted.join(" · "));
    let open: Vec<_> = of_case.into_iter().filter(|it| it.stands.is_open()).collect();
    for it in open.iter().take(SHOWN_OPEN) {
        let word = standing(&it.stands).word;
        let _ = writeln!(out, "  {word:<23} {}", terminal(&it.objective.question));
    }
    if open.len() > SHOWN_OPEN {
        let _ = writeln!(out, "  and {} more that are open", open.len() - SHOWN_OPEN);
    }
    out
}

/// Lists the pieces of evidence that are empty or have unreadable files, one line each,
/// so that a reader does not take the rest for a complete result.
fn unread(run: &Run) -> String {
    let mut out = String::new();
    for label in graph::empty_evidence(run) {
        let _ = writeln!(out, "not examined: {} holds no file", terminal(label));
    }
    for hashed in &run.integrity {
        let Some(first) = hashed.gaps.first() else { continue };
        let more = match hashed.gaps.len() {
            1 => String::new(),
            more => format!(", and {} more", more - 1),
        };
        let told = format!("{}:{} could not be read: {}{more}", hashed.evidence, first.path, first.reason);
        let _ = writeln!(out, "not examined: {}", clipped(&terminal(&told)));
    }
    out
}

/// The number of open questions that a summary lists.
const SHOWN_OPEN: usize = 10;

/// Lists the questions that were assigned to no task: one by one if the owner asked them or if they have a result, otherwise only their number.
fn handed_to_nobody(out: &mut String, run: &Run, questions: &[Question<'_>]) {
    let nobody = questions.iter().filter(|it| it.tasks.is_empty());
    let (told, counted): (Vec<_>, Vec<_>) =
        nobody.partition(|it| it.by == Asker::Owner || it.stands != Stands::NotAsked);
    if !told.is_empty() {
        let _ = writeln!(out, "not assigned to any agent");
        told.into_iter().for_each(|it| answer(out, run, it));
    }
    let mut of_agents: BTreeMap<&str, usize> = BTreeMap::new();
    counted.iter().for_each(|it| *of_agents.entry(it.agent).or_default() += 1);
    if !of_agents.is_empty() {
        let (number, s) = (counted.len(), if counted.len() == 1 { "" } else { "s" });
        let agents: Vec<_> =
            of_agents.iter().map(|(agent, number)| format!("{number} of {}", terminal(agent))).collect();
        let _ = writeln!(out, "not asked: {number} standard question{s} ({})", agents.join(", "));
    }
}

fn answer(out: &mut String, run: &Run, it: &Question<'_>) {
    let word = standing(&it.stands).word;
    let _ = writeln!(out, "  {word:<23} {}", terminal(&it.objective.question));
    // Under the heading of the sweep, it is clear that code asked.
    let is_below_sweep =
        it.tasks.first().and_then(|task| run.tasks.get(task)).is_some_and(|it| it.assigned.sweep);
    let remarks = match is_below_sweep {
        true => asker(it).into_iter().chain(left_open(it)).collect(),
        false => remarks(it),
    };
    for remark in remarks {
        let _ = writeln!(out, "         {}", terminal(&remark));
    }
    if let Stands::CannotBeTold(needed) = &it.stands {
        let (lacking, unread) = needs(it.objective, needed);
        for kind in lacking {
            let _ = writeln!(out, "         needs {}", clipped(&terminal(kind)));
        }
        for reason in unread {
            let _ = writeln!(out, "         could not read {}", clipped(&terminal(reason)));
        }
    }
    if let Stands::Searched { lacking, .. } = &it.stands
        && !lacking.is_empty()
    {
        let _ = writeln!(out, "         {}", clipped(&terminal(&unsearched(it.objective, lacking))));
    }
    let beyond = beyond(&it.stands);
    if !beyond.is_empty() {
        let _ = writeln!(out, "         {}", clipped(&terminal(&beyond)));
    }
    let facts = it.stands.facts();
    let mut source = String::new();
    for fact in facts.iter().take(SHOWN_FACTS).filter_map(|id| run.fact(*id)) {
        let from = value_text(&format!("{}:{}", fact.locator.evidence, fact.locator.path));
        if from != source {
            let _ = writeln!(out, "         {from}");
            source = from;
        }
        let title = answer_title(fact, it.objective);
        let _ = writeln!(out, "           {}", clipped(&terminal(&title)));
    }
    if facts.len() > SHOWN_FACTS {
        let _ = writeln!(out, "         and {} more", facts.len() - SHOWN_FACTS);
    }
}

/// Describes how a task ended; for a task that assigned others, also what code accepted from them and how many questions of the case are open.
pub(crate) fn ended(view: &TaskView, questions: &[Question<'_>]) -> String {
    let status = view.ended.as_ref().map_or("did not end", |ended| self::status(ended.status));
    if view.assigned.sweep {
        return swept(status, view.assigned.task, questions);
    }
    let is_unlisted = questions.iter().any(|it| it.by == Asker::Unlisted);
    if !view.assigned.agent.surface.contains(&ToolClass::Dispatch) {
        let is_completed = view.ended.as_ref().is_some_and(|ended| ended.status == TaskStatus::Completed);
        return match is_unlisted && is_completed {
            true => by_todays_rules(view.assigned.task, questions),
            false => status.to_owned(),
        };
    }
    let accepted = view.reports.iter().filter(|report| report.accepted).count();
    let open = questions.iter().filter(|it| it.is_of_case() && it.was_left_open()).count();
    let all = match view.ended.as_ref().map(|ended| ended.status) {
        Some(TaskStatus::Completed | TaskStatus::Incomplete) if open == 1 => "1 open question".to_owned(),
        Some(TaskStatus::Completed | TaskStatus::Incomplete) if open > 0 => {
            format!("{open} open questions")
        }
        // An older run does not record the questions of its case.
        Some(TaskStatus::Completed) if is_unlisted => "no open questions among those assigned".to_owned(),
        Some(_) | None => status.to_owned(),
    };
    let untold =
        questions.iter().filter(|it| it.is_of_case() && matches!(it.stands, Stands::CannotBeTold(_)));
    let untold = match untold.count() {
        0 => String::new(),
        number => format!(", {number} cannot be answered from this evidence"),
    };
    format!("{accepted} of {} tasks accepted, {all}{untold}", view.reports.len())
}

/// Describes what is open in a task that an older run counted as complete. At that time,
/// calls could close a question that they would leave open today.
fn by_todays_rules(task: TaskId, questions: &[Question<'_>]) -> String {
    let open = questions.iter().filter(|it| it.tasks.contains(&task) && it.was_left_open()).count();
    match open {
        0 => "no open questions among those it was given".to_owned(),
        1 => "1 open question by today's rules; none by the run's own".to_owned(),
        more => format!("{more} open questions by today's rules; none by the run's own"),
    }
}

/// Describes what a sweep was asked and the current status: what the agents left open, and what code found.
fn swept(status: &str, task: TaskId, questions: &[Question<'_>]) -> String {
    let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
    for question in questions.iter().filter(|it| it.tasks.contains(&task)) {
        *counted.entry(standing_word(&question.stands)).or_default() += 1;
    }
    let (all, s) =
        (counted.values().sum::<usize>(), if counted.values().sum::<usize>() == 1 { "" } else { "s" });
    let now: Vec<_> = counted.iter().map(|(word, number)| format!("{number} {word}")).collect();
    format!(
        "{status}; code searched for answers to {all} question{s} that agents had left open, now: {}",
        now.join(", ")
    )
}

/// Writes the story, host by host in chronological order, and the agents' comments.
fn told(out: &mut String, run: &Run) {
    let lines = story::lines(run);
    if !lines.is_empty() {
        let _ = writeln!(out, "what happened: agents chose the facts, code wrote the sentences");
    }
    for of in story::arranged(run, &lines) {
        if let Some(host) = &of.host {
            let _ = writeln!(out, "{}", terminal(host));
        }
        for episode in &of.episodes {
            if let Some(heading) = &episode.heading {
                let _ = writeln!(out, "  {}", terminal(&heading.text()));
            }
            groups(out, &lines, &episode.groups);
        }
        if !of.machine.is_empty() {
            let _ = writeln!(out, "  {}", Chapter::Machine.title().to_lowercase());
            groups(out, &lines, &of.machine);
        }
    }
    readings(out, run);
}

fn groups(out: &mut String, lines: &[story::Line<'_>], groups: &[story::Group]) {
    for group in groups {
        let indent = match &group.heading {
            Some(heading) => {
                let _ = writeln!(out, "  {:<30} {}", "", terminal(&heading.text()));
                "  "
            }
            None => "",
        };
        for line in group.members.iter().filter_map(|it| lines.get(*it)) {
            let time = line.moment().unwrap_or_default();
            let _ = writeln!(out, "  {:<30} {indent}{}", terminal(&time), terminal(&line.words.text()));
            if line.statement.twice.is_some() {
                let _ = writeln!(
                    out,
                    "  {:<30} {indent}(order not certain: a clock was set back over this time)",
                    ""
                );
            }
            for remark in &line.remarks {
                let _ =
                    writeln!(out, "  {:<30} {indent}({READING}: {})", "", clipped(&terminal(remark.text)));
            }
        }
    }
}

/// Writes the sentences of runs in which agents wrote them.
fn readings(out: &mut String, run: &Run) {
    let sentences = narrative(run);
    if sentences.is_empty() {
        return;
    }
    let contradictions = Contradictions::of(run);
    let _ = writeln!(out, "what an agent made of it: {READING}");
    for placed in &sentences {
        let _ = writeln!(out, "  - {}", clipped(&sentence_text(&placed.sentence.text)));
        if let Some(remark) = contradictions.remark(placed) {
            let _ = writeln!(out, "    ({remark})");
        }
    }
}

/// The number of facts shown for each objective.
const SHOWN_FACTS: usize = 3;

/// The maximum length of a fact shown under an objective, in characters; `facts` shows it in full.
const SHOWN_CHARACTERS: usize = 140;

pub(crate) fn clipped(title: &str) -> String {
    match title.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", title.get(..end).unwrap_or_default()),
        None => title.to_owned(),
    }
}

/// Describes how a task ended.
pub const fn status(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Completed => "no open questions",
        TaskStatus::Incomplete => "open questions remain",
        TaskStatus::BudgetSpent => "its budget ran out before anything was recorded",
        TaskStatus::ModelFailed => "its model did not reply",
        TaskStatus::Cancelled => "cancelled",
    }
}

/// Formats records, each with its locator and its fields.
pub fn records(records: &[Record]) -> String {
    let mut out = String::new();
    for record in records {
        let _ = writeln!(
            out,
            "{} {}  {}",
            record.id,
            terminal(&record.kind),
            value_text(&record.locator.to_string())
        );
        if let Some(placement) = record.placement {
            let _ = writeln!(out, "    ({})", placement.name());
        }
        for (name, field) in &record.fields {
            let at = field.at.map_or(String::new(), |at| format!("  [{at}]"));
            let _ = writeln!(out, "    {}: {}{at}", terminal(name), value_text(&field.value.to_text()));
        }
        for defect in &record.defects {
            let _ = writeln!(out, "    defect: {}", terminal(&defect.what));
        }
    }
    let _ = writeln!(out, "{} records", records.len());
    out
}

/// Formats each refused claim with what was claimed, what the agent was told, and how it ended.
pub fn rejections(claims: &[RefusedClaim<'_>]) -> String {
    let mut out = String::new();
    for claim in claims {
        refused(&mut out, claim);
    }
    let _ = writeln!(out, "\n{} claims refused", claims.len());
    out
}

/// Counts the corrected and the abandoned claims for each code.
pub(crate) fn by_code(claims: &[RefusedClaim<'_>]) -> BTreeMap<RejectionCode, (u32, u32)> {
    let mut counts: BTreeMap<_, (u32, u32)> = BTreeMap::new();
    for claim in claims {
        let count = counts.entry(claim.rejection.code).or_default();
        match claim.fate {
            Fate::Corrected { .. } => count.0 += 1,
            Fate::Abandoned => count.1 += 1,
        }
    }
    counts
}

fn refused(out: &mut String, claim: &RefusedClaim<'_>) {
    let rejection = claim.rejection;
    let agent = terminal(claim.agent);
    let _ = writeln!(out, "\n{} {agent} turn {}: {}", claim.claim, claim.turn, rejection.code);
    match claim.stated {
        Claim::Reading(reading) => claimed(out, reading),
        Claim::Absence(absence) => {
            let _ = writeln!(out, "  claimed: {}", terminal(&absence.absence.to_string()));
            let _ = writeln!(out, "  citing:  {}", terminal(&absence.searches.join(", ")));
        }
        Claim::Derivation(derivation) => {
            let _ = writeln!(out, "  claimed: {}", terminal(&derivation.to_string()));
        }
        Claim::Statement(statement) => {
            let _ = writeln!(out, "  claimed: {}", terminal(&statement.to_string()));
        }
        Claim::Sentence(sentence) => {
            let _ = writeln!(out, "  claimed: {}", terminal(&sentence.text));
            let _ = writeln!(out, "  citing:  {}", terminal(&sentence.cites.join(", ")));
        }
    }
    let _ = writeln!(out, "  told:    {}", terminal(&rejection.reason));
    if !rejection.hint.is_empty() {
        let _ = writeln!(out, "           {}", terminal(&rejection.hint));
    }
    for candidate in &rejection.candidates {
        let _ = writeln!(out, "           {}", terminal(&self::candidate(candidate)));
    }
    let _ = match claim.fate {
        Fate::Corrected { by, tries } => writeln!(out, "  ended:   corrected after {tries} tries by {by}"),
        Fate::Abandoned => writeln!(out, "  ended:   abandoned"),
    };
}

fn claimed(out: &mut String, reading: &Reading) {
    let value = |value: &ledger::ClaimedValue| {
        format!("{} = {}", terminal(value.field.as_deref().unwrap_or("?")), terminal(&value.value))
    };
    let values: Vec<_> = reading.values.iter().map(value).collect();
    let mut said = vec![terminal(&reading.predicate)];
    said.extend((!reading.subject.is_empty()).then(|| format!("{}:", terminal(&reading.subject))));
    let _ = writeln!(out, "  claimed: {} {}", said.join(" "), values.join(", "));
    let record = reading.record.as_deref().unwrap_or("no record");
    let _ = writeln!(out, "  citing:  {} {}", terminal(&reading.invocation), terminal(record));
}

/// Formats a candidate in one line: where it is and what it contains.
pub(crate) fn candidate(candidate: &Candidate) -> String {
    let record = candidate.record.map_or(String::new(), |record| format!(" {record}"));
    let field = candidate.field.as_ref().map_or(String::new(), |field| format!(" {field}"));
    match &candidate.text {
        Some(text) => format!("{}{record}{field}: {text}", candidate.invocation),
        None => format!("{}{record}{field}: {}", candidate.invocation, candidate.summary),
    }
}

/// Returns the word for a tier.
pub(crate) const fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::Exact => "exact",
        Tier::Normalised => "normalised",
        Tier::Typed => "typed",
        Tier::Quoted => "quoted",
    }
}

/// Returns the word for how an invocation ended; `None` means that it did not end.
pub(crate) const fn outcome(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        Some(Outcome::Ok) => "ok",
        Some(Outcome::Empty) => "empty",
        Some(Outcome::Failed) => "failed",
        Some(Outcome::Timeout) => "timeout",
        Some(Outcome::Denied) => "denied",
        None => "broke off",
    }
}
