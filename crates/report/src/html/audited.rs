//! An audit as one page: the results of the runs, a chart for each figure over time, and all rows of its tables.

use super::{say, shell};
use crate::audit::columns::{CALLS, CLAIMS, CODES, Column, OVERVIEW, TOOLS};
use crate::audit::{Audit, Named, about, each, minute, sureness, told, truth};
use graph::audit::{By, Figure, Group, Trend, Verdict, grouped};
use maud::{Markup, html};

/// The maximum number of runs in a chart; the last ones are shown.
const BARS: usize = 200;

/// The maximum number of rows in a table.
const ROWS: usize = 2_000;

/// The width and height of a chart.
const SIZE: (u64, u64) = (600, 60);

/// Renders the page: it fetches nothing and runs nothing.
pub fn audit_page(audit: &Audit) -> String {
    let by = |by: By| rows(grouped(audit.runs(), by));
    let body = html! {
        main id="main" {
            h1 { "Audit" }
            p.note {
                (say(&about(audit))) ". Names and numbers alone: nothing here is a value of the evidence. "
                "docs/audit.md explains each figure."
            }
            (set_apart(audit))
            (table("models", "Models", OVERVIEW, &with_all(by(By::Model), audit)))
            (over_time(audit))
            (table("agents", "Agents", CLAIMS, &by(By::Agent)))
            (table("agents-cost", "Calls and cost by agent", CALLS, &by(By::Agent)))
            (table("tools", "Tools", TOOLS, &by(By::Tool)))
            (table("tools-claims", "Claims by the tool that they cite", CLAIMS, &by(By::Tool)))
            (table("codes", "Codes of refusals", CODES, &by(By::Code)))
            (confidence(audit))
            (versions(audit))
            (unusual(audit))
            (table("runs", "Runs", OVERVIEW, &each(audit)))
        }
    };
    shell::document("Audit", &body, None)
}

fn rows(groups: impl IntoIterator<Item = (String, Group)>) -> Vec<(String, Group)> {
    groups.into_iter().collect()
}

fn with_all(mut rows: Vec<(String, Group)>, audit: &Audit) -> Vec<(String, Group)> {
    rows.push(("all".to_owned(), audit.all()));
    if !audit.unsealed.is_empty() {
        rows.push(("not sealed".to_owned(), audit.apart()));
    }
    rows
}

fn set_apart(audit: &Audit) -> Markup {
    let names = |runs: &[Named]| runs.iter().map(|run| say(&run.name)).collect::<Vec<_>>().join(", ");
    html! {
        @if !audit.unsealed.is_empty() {
            p { (audit.unsealed.len()) " not sealed, counted apart: " (names(&audit.unsealed)) "." }
        }
        @if !audit.twice.is_empty() {
            p { (audit.twice.len()) " counted once, although another folder holds the same run: "
                (audit.twice.iter().map(|name| say(name)).collect::<Vec<_>>().join(", ")) "." }
        }
        @for unread in audit.unread.iter().take(ROWS) {
            p.bad { (say(&unread.name)) " cannot be read and is not counted: failed to " (say(&unread.because)) }
        }
    }
}

fn table(id: &str, title: &str, columns: &[Column], rows: &[(String, Group)]) -> Markup {
    let heading = format!("{id}-title");
    html! {
        section id=(id) aria-labelledby=(heading) {
            h2 id=(heading) { (title) }
            @if rows.is_empty() { p { "None." } } @else { (cells(&heading, columns, rows)) }
        }
    }
}

fn cells(heading: &str, columns: &[Column], rows: &[(String, Group)]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-labelledby=(heading) {
            table.numbers {
                thead { tr { th { "" } @for column in columns { th { (column.title) } } } }
                tbody {
                    @for (name, group) in rows.iter().take(ROWS) {
                        tr {
                            th scope="row" { code { (say(name)) } }
                            @for column in columns { td.number { ((column.cell)(group)) } }
                        }
                    }
                }
            }
        }
        @if rows.len() > ROWS { p { (rows.len() - ROWS) " more rows are in the JSON form." } }
    }
}

/// Renders a chart for each figure that at least one run has.
fn over_time(audit: &Audit) -> Markup {
    let trends = audit.trends(None);
    html! {
        section #time aria-labelledby="time-title" {
            h2 #time-title { "Over time" }
            p.note {
                "One bar for each run, the earliest at the left. The test of Mann and Kendall asks if later values tend to be larger or smaller; "
                "a trend says nothing about its reason."
            }
            @if trends.is_empty() { p { "No run has a figure." } }
            @for trend in &trends { (chart(audit, trend)) }
        }
    }
}

fn chart(audit: &Audit, trend: &Trend) -> Markup {
    let name = told::figure(trend.figure);
    let class = match trend.verdict {
        Verdict::Worsening => "tag bad",
        Verdict::Improving => "tag good",
        _ => "tag",
    };
    html! {
        h3 {
            (name) " " span class=(class) { (told::verdict(trend.verdict)) }
            @if let Some(tested) = trend.tested.filter(|_| trend.verdict.is_trend()) {
                " " small { (told::halves(trend)) ", S " (tested.s) ", p " (told::probability(tested.p)) }
            }
        }
        (bars(audit, trend.figure, name))
    }
}

/// Renders a bar for each run that has the figure.
fn bars(audit: &Audit, figure: Figure, name: &str) -> Markup {
    let left_out = audit.sealed.len().saturating_sub(BARS);
    let runs = audit.sealed.iter().skip(left_out);
    let values: Vec<(&Named, Option<u64>)> =
        runs.map(|run| (run, figure.value(&run.audited.counts()))).collect();
    let most = values.iter().filter_map(|(_, value)| *value).max().unwrap_or(0);
    let (width, height) = SIZE;
    let wide = (width * 10 / (values.len().max(1) as u64)).clamp(10, 400);
    let tenths = |number: u64| format!("{}.{}", number / 10, number % 10);
    let high = |value: u64| {
        let high = u128::from(value) * u128::from(height * 10) / u128::from(most.max(1));
        u64::try_from(high).unwrap_or(height * 10)
    };
    let (first, last) = (values.first(), values.last());
    let time =
        |run: Option<&(&Named, Option<u64>)>| run.map_or(String::new(), |it| minute(&it.0.audited.begun));
    html! {
        svg.turns viewBox="0 0 600 78" role="img"
            aria-label=(format!("{name} of {} runs, at most {}", values.len(), told::value(figure, most))) {
            @for (place, (run, value)) in (0_u64..).zip(&values) {
                @if let Some(value) = value {
                    rect.bar x=(tenths(place * wide)) width=(tenths(wide * 85 / 100)) y=(tenths(height * 10 - high(*value)))
                        height=(tenths(high(*value).max(5))) { title { (say(&run.name)) ": " (told::value(figure, *value)) } }
                }
            }
            text x="0" y="76" { (time(first)) }
            text x="600" y="76" text-anchor="end" { (time(last)) ", at most " (told::value(figure, most)) }
        }
        @if left_out > 0 { p.note { "The last " (BARS) " runs." } }
    }
}

fn confidence(audit: &Audit) -> Markup {
    if audit.sure.is_empty() {
        return html! {};
    }
    let groups = [
        [("all".to_owned(), truth::all(&audit.sure))].into_iter().collect(),
        truth::by(&audit.sure, |it| &it.forecast.agent),
        truth::by(&audit.sure, |it| &it.model),
    ];
    html! {
        section #confidence aria-labelledby="confidence-title" {
            h2 #confidence-title { "Confidence and the ground truth" }
            ul { @for (name, of) in groups.iter().flatten() { li { (sureness(&say(name), of)) } } }
        }
    }
}

fn versions(audit: &Audit) -> Markup {
    let drifts = audit.drift();
    html! {
        section #versions aria-labelledby="versions-title" {
            h2 #versions-title { "Versions" }
            p.note { "Runs with different versions also differ in other things, such as case and date: the numbers do not say why they differ." }
            @if drifts.is_empty() { p { "One version of everything." } }
            @for drift in &drifts {
                h3 { (say(&told::versioned(&drift.what))) }
                (cells("versions-title", OVERVIEW, &drift.versions.iter().map(|it| (told::version(&it.version), it.group.clone())).collect::<Vec<_>>()))
            }
        }
    }
}

fn unusual(audit: &Audit) -> Markup {
    let unlike = audit.unlike();
    html! {
        section #unusual aria-labelledby="unusual-title" {
            h2 #unusual-title { "Unusual runs" }
            @if unlike.is_empty() { p { "No run is unlike others of its kind, or there are too few of each kind." } }
            ul {
                @for it in unlike.iter().take(ROWS) {
                    li {
                        @if let Some(run) = told::named(audit, it) { code { (say(&run.name)) } ": " }
                        (told::unlike(it))
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::Unread;
    use graph::audit::audited;
    use testkit::history::History;

    fn audit(runs: u32) -> Audit {
        let run = |day: u32| {
            let mut history = History::opened("T");
            history.assigned(1, "<script>alert(1)</script>");
            let mut audited = audited(&graph::fold(history.events()).unwrap());
            audited.begun = format!("2026-01-{day:02}T00:00:00Z");
            audited.tasks[0].counts.claims = 100;
            audited.tasks[0].counts.refused = u64::from(day);
            Named { name: format!("run-{day}"), folder: "runs".into(), audited }
        };
        let unread = Unread { name: "a<b".into(), folder: "runs".into(), because: "open & read".into() };
        Audit { sealed: (1..=runs).map(run).collect(), unread: vec![unread], ..Audit::default() }
    }

    #[test]
    fn a_page_has_a_bar_for_each_run_and_text_stays_text() {
        let page = audit_page(&audit(8));
        assert!(page.contains("&lt;script&gt;alert(1)") && !page.contains("<script"), "{page}");
        assert!(page.contains("a&lt;b cannot be read") && page.contains("open &amp; read"), "{page}");
        assert!(page.contains("script-src 'none'") && page.contains("worsening"), "{page}");
        assert!(page.contains("<title>run-8: 8.0 %</title>"), "{page}");
        assert_eq!(page.matches("<title>run-3: ").count(), page.matches("<title>run-8: ").count());
    }

    #[test]
    fn a_page_of_no_runs_says_so() {
        let page = audit_page(&Audit::default());
        assert!(page.contains("no sealed runs") && page.contains("No run has a figure."), "{page}");
    }
}
