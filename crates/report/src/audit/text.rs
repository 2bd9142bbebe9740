//! The audit on a terminal: one screen, and tables with all rows.

use super::columns::{CALLS, CLAIMS, CODES, Column, OVERVIEW, TOOLS, decimal};
use super::truth::Sure;
use super::{Audit, Detail, Named, told, truth};
use crate::inert::terminal;
use crate::score::{Reliability, Spoken};
use graph::audit::{By, FEWEST_LIKE, Group, Trend, Verdict, grouped, total};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The maximum number of names in a line of the overview.
const SHOWN: usize = 5;

/// The maximum number of models in its table; the others are combined in one row.
const MODELS: usize = 3;

/// The maximum number of lines in each of its lists: the whole overview has at most 24 lines.
const LINES: usize = 2;

/// Formats the results of the runs on one screen.
pub fn overview(audit: &Audit) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}", about(audit));
    set_apart(&mut out, audit, LINES);
    if audit.sealed.is_empty() && audit.unsealed.is_empty() {
        return out;
    }
    out.push('\n');
    let mut rows = most(grouped(audit.runs(), By::Model), |group| group.counts.tasks);
    rows.push(("all".to_owned(), audit.all()));
    if !audit.unsealed.is_empty() {
        rows.push(("not sealed".to_owned(), audit.apart()));
    }
    table(&mut out, "model", OVERVIEW, &rows);
    codes(&mut out, audit);
    if !audit.sure.is_empty() {
        let _ = writeln!(out, "{}", sureness("all", &truth::all(&audit.sure)));
    }
    trends_in_short(&mut out, &audit.trends(None));
    let versions = told::drifts(&audit.drift());
    if !versions.is_empty() {
        let _ = writeln!(out, "versions: {}; --by version shows each", first(&versions, SHOWN));
    }
    unlike_in_short(&mut out, audit);
    out
}

/// Counts the figures that change, and lists them.
fn trends_in_short(out: &mut String, trends: &[Trend]) {
    let mut counted: BTreeMap<Verdict, usize> = BTreeMap::new();
    trends.iter().for_each(|trend| *counted.entry(trend.verdict).or_default() += 1);
    let counted: Vec<String> =
        counted.iter().map(|(verdict, number)| format!("{number} {}", told::verdict(*verdict))).collect();
    let _ = writeln!(out, "trends of {} figures: {}", trends.len(), counted.join(", "));
    for trend in trends.iter().filter(|trend| trend.verdict.is_trend()).take(LINES) {
        let _ = writeln!(out, "  {}", trend_line(trend));
    }
}

/// Formats a trend with the numbers of its test.
fn trend_line(trend: &Trend) -> String {
    let of = trend.of.as_ref().map_or(String::new(), |of| format!("{}: ", terminal(of)));
    let mut line = format!("{of}{} {}", told::figure(trend.figure), told::verdict(trend.verdict));
    let tested = trend.tested.filter(|_| trend.verdict != Verdict::TooFew);
    if let Some(tested) = tested {
        let p = told::probability(tested.p);
        let _ = write!(
            line,
            ", {} (Mann-Kendall: S {}, {} runs, p {p})",
            told::halves(trend),
            tested.s,
            trend.values.len()
        );
    }
    line
}

/// Lists the runs that are unlike others.
fn unlike_in_short(out: &mut String, audit: &Audit) {
    let unlike = audit.unlike();
    let runs: BTreeSet<usize> = unlike.iter().map(|it| it.run).collect();
    if runs.is_empty() {
        return;
    }
    let _ = writeln!(out, "unlike others of their kind: {}; --by run shows all", counted(runs.len(), "run"));
    for it in unlike.iter().take(LINES) {
        let name = told::named(audit, it).map_or(String::new(), |named| terminal(&named.name));
        let _ = writeln!(out, "  {name}: {}", told::unlike(it));
    }
}

/// Formats what the ground truth says about answers.
pub(crate) fn sureness(name: &str, of: &Reliability) -> String {
    let count = |truth: Spoken| of.count(truth);
    let mean = truth::mean(of).map_or("-".to_owned(), |mean| decimal(mean, 1000, 2).unwrap_or_default());
    let brier = of.brier().map_or("-".to_owned(), |brier| format!("{brier:.3}"));
    format!(
        "confidence, {name}: {} answers within the ground truth, {} confirmed, {} not in it, {} that must not be claimed; mean confidence {mean}, Brier score {brier}",
        truth::spoken_of(of),
        count(Spoken::Confirmed),
        count(Spoken::Unknown),
        count(Spoken::Forbidden),
    )
}

/// Describes how many runs there are, of which cases and from when.
pub(crate) fn about(audit: &Audit) -> String {
    let cases: BTreeSet<&str> = audit.runs().map(|run| run.case.as_str()).collect();
    let of = match cases.len() {
        0 => return "no sealed runs".to_owned(),
        1 => format!("of the case {}", cases.first().map(|case| terminal(case)).unwrap_or_default()),
        more => format!("of {more} cases"),
    };
    let time = |named: Option<&Named>| named.map(|named| minute(&named.audited.begun)).unwrap_or_default();
    let (first, last) = (time(audit.sealed.first()), time(audit.sealed.last()));
    let begun = if first == last { format!("begun {first}") } else { format!("begun {first} to {last}") };
    format!("{} {of}, {begun} (UTC)", counted(audit.sealed.len(), "sealed run"))
}

/// Shortens an RFC 3339 time to the minute; other text is left as it is.
pub(crate) fn minute(time: &str) -> String {
    match (time.get(..10), time.get(10..11), time.get(11..16)) {
        (Some(day), Some("T"), Some(time)) => terminal(&format!("{day} {time}")),
        _ => terminal(time),
    }
}

pub(crate) fn counted(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// Lists the runs that do not count: not sealed, unreadable, or duplicates.
fn set_apart(out: &mut String, audit: &Audit, lines: usize) {
    if !audit.unsealed.is_empty() {
        let names: Vec<_> = audit.unsealed.iter().map(|named| terminal(&named.name)).collect();
        let _ = writeln!(out, "{} not sealed, counted apart: {}", names.len(), first(&names, SHOWN));
    }
    if !audit.twice.is_empty() {
        let names: Vec<_> = audit.twice.iter().map(|name| terminal(name)).collect();
        let _ = writeln!(
            out,
            "counted once, although another folder holds the same run: {}",
            first(&names, SHOWN)
        );
    }
    for unread in audit.unread.iter().take(lines) {
        let _ = writeln!(
            out,
            "cannot be read, not counted: {}: failed to {}",
            terminal(&unread.name),
            terminal(&unread.because)
        );
    }
    if audit.unread.len() > lines {
        let _ = writeln!(out, "and {} more that cannot be read", audit.unread.len() - lines);
    }
}

/// Lists the first names, and how many more there are.
fn first(names: &[String], most: usize) -> String {
    let shown = names.iter().take(most).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > most { format!("{shown}, and {} more", names.len() - most) } else { shown }
}

/// Returns the groups with the most of something, largest first; the others are added up.
fn most(
    groups: impl IntoIterator<Item = (String, Group)>,
    of: impl Fn(&Group) -> u64,
) -> Vec<(String, Group)> {
    let mut rows: Vec<(String, Group)> =
        groups.into_iter().map(|(name, group)| (terminal(&name), group)).collect();
    rows.sort_by_key(|(_, group)| std::cmp::Reverse(of(group)));
    if rows.len() > MODELS + 1 {
        let rest = rows.split_off(MODELS);
        let mut others = Group::default();
        for (_, group) in &rest {
            // One run may be in several groups, each of which counts it.
            others.runs = others.runs.max(group.runs);
            others.counts.add(&group.counts);
        }
        rows.push((format!("{} others", rest.len()), others));
    }
    rows
}

/// Lists the most frequent codes.
fn codes(out: &mut String, audit: &Audit) {
    let number = |group: &Group| group.counts.refused + group.counts.calls_refused;
    let mut codes: Vec<(String, u64)> = grouped(audit.runs(), By::Code)
        .into_iter()
        .map(|(code, group)| (terminal(&code), number(&group)))
        .filter(|(_, number)| *number > 0)
        .collect();
    codes.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    let names: Vec<String> = codes.iter().map(|(code, number)| format!("{code} {number}")).collect();
    let told = if names.is_empty() { "nothing".to_owned() } else { first(&names, SHOWN) };
    let _ = writeln!(out, "\nrefused: {told}");
}

/// Formats every row of the requested detail.
pub fn detail(audit: &Audit, of: Detail) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}", about(audit));
    set_apart(&mut out, audit, usize::MAX);
    let by = |by: By| {
        let groups = grouped(audit.runs(), by).into_iter();
        groups.map(|(name, group)| (terminal(&name), group)).collect::<Vec<_>>()
    };
    let show = |out: &mut String, title: &str, columns: &[&[Column]], rows: &[(String, Group)]| {
        for columns in columns {
            out.push('\n');
            table(out, title, columns, rows);
        }
    };
    match of {
        Detail::Agent => show(&mut out, "agent", &[CLAIMS, CALLS], &with_all(by(By::Agent), audit)),
        Detail::Model => show(&mut out, "model", &[CLAIMS, CALLS], &with_all(by(By::Model), audit)),
        Detail::Tool => show(&mut out, "tool", &[CLAIMS, TOOLS], &by(By::Tool)),
        Detail::Code => show(&mut out, "code", &[CODES], &by(By::Code)),
        Detail::Run => show(&mut out, "run", &[CLAIMS, CALLS], &with_all(each(audit), audit)),
        Detail::Version => versions(&mut out, audit),
        Detail::Trend => trends(&mut out, audit),
    }
    match of {
        Detail::Agent => {
            changes(&mut out, audit, By::Agent);
            sure(&mut out, audit, |it| &it.forecast.agent);
        }
        Detail::Model => {
            changes(&mut out, audit, By::Model);
            sure(&mut out, audit, |it| &it.model);
        }
        Detail::Run => all_unlike(&mut out, audit),
        Detail::Tool | Detail::Code | Detail::Version | Detail::Trend => {}
    }
    out
}

/// Lists the trends of agents or of models.
fn changes(out: &mut String, audit: &Audit, by: By) {
    let trends = audit.trends(Some(by));
    let changed: Vec<&Trend> = trends.iter().filter(|trend| trend.verdict.is_trend()).collect();
    let _ = writeln!(out, "\ntrends of {} figures: {} found", trends.len(), changed.len());
    changed.iter().for_each(|trend| {
        let _ = writeln!(out, "  {}", trend_line(trend));
    });
}

fn sure(out: &mut String, audit: &Audit, name: impl Fn(&Sure) -> &str) {
    let of = truth::by(&audit.sure, name);
    if !of.is_empty() {
        out.push('\n');
    }
    for (name, of) in of {
        let _ = writeln!(out, "{}", sureness(&terminal(&name), &of));
    }
}

fn all_unlike(out: &mut String, audit: &Audit) {
    let unlike = audit.unlike();
    let told = match unlike.len() {
        0 => format!("no run is unlike others of its kind, or no kind has {} others", FEWEST_LIKE),
        _ => "unlike others of the kind, by median and median distance (MAD)".to_owned(),
    };
    let _ = writeln!(out, "\n{told}");
    for it in &unlike {
        let name = told::named(audit, it).map_or(String::new(), |named| terminal(&named.name));
        let _ = writeln!(out, "  {name}: {}", told::unlike(it));
    }
}

/// Lists the versions that the runs were made with, each with the results of its runs.
fn versions(out: &mut String, audit: &Audit) {
    let drifts = audit.drift();
    if drifts.is_empty() {
        let _ = writeln!(out, "\none version of everything");
    }
    for drift in &drifts {
        let rows: Vec<(String, Group)> =
            drift.versions.iter().map(|it| (told::version(&it.version), it.group.clone())).collect();
        out.push('\n');
        table(out, &told::versioned(&drift.what), OVERVIEW, &rows);
    }
}

/// Lists every figure of whole runs, and the trends of agents and models.
fn trends(out: &mut String, audit: &Audit) {
    let _ = writeln!(
        out,
        "\nMann-Kendall over runs in the order of their time; at most 5 of 100 audits without any trend show one (Holm)"
    );
    for trend in audit.trends(None) {
        let _ = writeln!(out, "  {}", trend_line(&trend));
    }
    for (by, name) in [(By::Agent, "agent"), (By::Model, "model")] {
        let _ = write!(out, "\nby {name}");
        changes(out, audit, by);
    }
}

fn with_all(mut rows: Vec<(String, Group)>, audit: &Audit) -> Vec<(String, Group)> {
    rows.push(("all".to_owned(), audit.all()));
    rows
}

/// Returns a row for each run; unsealed ones come last.
pub(crate) fn each(audit: &Audit) -> Vec<(String, Group)> {
    let row =
        |named: &Named, after: &str| (format!("{}{after}", terminal(&named.name)), total([&named.audited]));
    let sealed = audit.sealed.iter().map(|named| row(named, ""));
    sealed.chain(audit.unsealed.iter().map(|named| row(named, " (not sealed)"))).collect()
}

/// Formats a table with right-aligned numbers.
fn table(out: &mut String, title: &str, columns: &[Column], rows: &[(String, Group)]) {
    let names = rows.iter().map(|(name, _)| name.chars().count());
    let width = names.chain([title.len()]).max().unwrap_or(0);
    let cells: Vec<Vec<String>> =
        rows.iter().map(|(_, group)| columns.iter().map(|column| (column.cell)(group)).collect()).collect();
    let wide = |place: usize, column: &Column| {
        let of = cells.iter().filter_map(|row| row.get(place)).map(|cell| cell.chars().count());
        of.chain([column.title.chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = columns.iter().enumerate().map(|(place, column)| wide(place, column)).collect();
    let titles: Vec<String> = columns.iter().map(|column| column.title.to_owned()).collect();
    let names = [title.to_owned()].into_iter().chain(rows.iter().map(|(name, _)| name.clone()));
    for (name, cells) in names.zip([titles].into_iter().chain(cells)) {
        let _ = write!(out, "{name:<width$}");
        for (cell, width) in cells.iter().zip(&widths) {
            let _ = write!(out, "  {cell:>width$}");
        }
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::Unread;
    use graph::audit::audited;
    use testkit::history::History;

    /// Builds a run with a unique model and agent, unlike all others.
    fn named(day: u32) -> Named {
        let mut history = History::opened("T");
        history.assigned_with(1, &format!("agent-{day}"), &format!("model-{day}"), vec![]);
        history.assigned(2, "agent");
        let mut audited = audited(&graph::fold(history.events()).unwrap());
        audited.begun = format!("2026-01-{day:02}T00:00:00Z");
        audited.made.program = format!("0.{day}.0");
        let counts = &mut audited.tasks[1].counts;
        (counts.claims, counts.refused, counts.calls, counts.failed) =
            (100, day.into(), 90, (90 - day).into());
        counts.abandoned = day.into();
        Named { name: format!("run-{day}"), folder: "runs".into(), audited }
    }

    #[test]
    fn an_overview_has_24_lines_at_most_however_much_there_is() {
        let unread = |number: usize| Unread {
            name: format!("run-{number}"),
            folder: "runs".into(),
            because: "read it".to_owned(),
        };
        let mut audit = Audit {
            sealed: (1..=12).map(named).collect(),
            unsealed: (13..=19).map(named).collect(),
            unread: (0..9).map(unread).collect(),
            twice: (0..9).map(|number| format!("copy-{number}")).collect(),
            ..Audit::default()
        };
        // The loop adds runs of one kind, of which only the last is unlike the others.
        for day in 20..=26 {
            let mut run = named(day);
            run.audited.tasks.remove(0);
            run.audited.tasks[0].counts.served = if day == 26 { 900 } else { 1 };
            run.audited.tasks[0].counts.claims = if day == 26 { 9_000 } else { 100 };
            audit.sealed.push(run);
        }
        let out = overview(&audit);
        assert!(out.lines().count() <= 24, "{} lines\n{out}", out.lines().count());
        for expected in
            ["others", "worsening", "improving", "unlike", "versions: 19 of the program", "not sealed"]
        {
            assert!(out.contains(expected), "{expected} is not in\n{out}");
        }
        assert!(detail(&audit, Detail::Run).lines().count() > 24 * 2);
    }
}
