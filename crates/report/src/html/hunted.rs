//! The hunt page: what stands out most first, counts by rule and tactic, the rules, and what was not read.

use super::{say, shell};
use crate::hunt::{Sighting, Total, Whose, by_rule, shortened};
use detect::{Tactic, TechniqueId, shipped};
use ledger::{Defect, Gap};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// The maximum number of sightings on the page, and of places that were not read.
const SHOWN: usize = 2_000;

/// The maximum length of a sighting's details, in characters.
const DETAILS: usize = 600;

/// The contents of a hunt page.
pub struct HuntPage<'p> {
    /// What was searched.
    pub title: &'p str,
    /// The requested time range in words, if any.
    pub between: Option<String>,
    /// The sightings, in display order.
    pub sightings: &'p [Sighting<'p>],
    /// Returns how many records match a rule, including those that are not listed.
    pub counted: &'p dyn Fn(&Total<'_>) -> u64,
    /// How many rules there are and which of them could not be used, one line each.
    pub rules: &'p [String],
    /// Remarks about the whole hunt, one line each.
    pub remarks: &'p [String],
    /// What was not examined.
    pub gaps: &'p [Gap],
    /// What is damaged.
    pub defects: &'p [Defect],
}

/// Renders the page: it fetches nothing and runs nothing.
pub fn hunt_page(page: &HuntPage<'_>) -> String {
    let title = format!("Hunt: {}", page.title);
    let body = html! {
        main id="main" {
            h1 { (say(&title)) }
            p.note {
                "What fits a rule, the highest level first, then by time in UTC. That a record fits a rule says what such a record is; it proves nothing, and ordinary software leaves some of them, too."
                @if let Some(between) = &page.between { " Only " (say(between)) "." }
            }
            @for remark in page.remarks { p.bad { (say(remark)) } }
            (levels(page))
            (sightings(page))
            (rules(page))
            (tactics(page))
            (loaded(page))
            (unread(page))
        }
    };
    shell::document(&title, &body, None)
}

fn levels(page: &HuntPage<'_>) -> Markup {
    let counted = detect::Level::ALL.iter().map(|level| {
        let number = page.sightings.iter().filter(|it| it.level() == *level).count();
        (level.name(), number)
    });
    let counted: Vec<_> = counted.filter(|(_, number)| *number > 0).collect();
    html! {
        p.badges {
            @if counted.is_empty() { span.tag { "nothing stands out" } }
            @for (level, number) in counted { span class=(format!("level {level}")) { (number) " " (level) } " " }
        }
    }
}

fn badge(level: &str) -> Markup {
    html! { span class=(format!("level {level}")) { (level) } }
}

fn sightings(page: &HuntPage<'_>) -> Markup {
    let more = page.sightings.len().saturating_sub(SHOWN);
    html! {
        section #sightings aria-labelledby="sightings-title" {
            h2 #sightings-title { "What stands out" }
            @if page.sightings.is_empty() { p { "No record fits a rule of the level that was asked for." } }
            @else {
                div.scroll tabindex="0" role="region" aria-labelledby="sightings-title" {
                    table.sightings {
                        thead { tr { th { "level" } th { "time" } th { "host" } th { "rule" } th { "details" } } }
                        tbody { @for it in page.sightings.iter().take(SHOWN) { (sighting(it)) } }
                    }
                }
            }
            @if more > 0 { p { (more) " more are not on this page: --format csv and jsonl give all of them." } }
        }
    }
}

fn sighting(it: &Sighting<'_>) -> Markup {
    let details: String = it.details().chars().take(DETAILS).collect();
    html! {
        tr {
            td { (badge(it.level().name())) }
            td { (it.time.map(|time| time.to_text()).unwrap_or_default()) }
            td { (say(&it.computer())) }
            td {
                @for fit in it.fits.iter().take(4) {
                    div {
                        @if fit.whose != Whose::Ours { span.tag { (fit.whose.name()) } " " }
                        (say(&fit.note))
                        @for id in &fit.techniques { " " small { (say(id)) } }
                    }
                }
                @if let Some(list) = &it.known_good { div { "known good: " (say(list)) } }
            }
            td {
                code { (say(&details)) }
                div.by { (say(&format!("{}: {}", it.record.kind, it.record.locator))) }
                @for fit in it.fits.iter().filter(|fit| !fit.fields.is_empty()).take(4) {
                    div.by { @for (field, value) in &fit.fields { (say(field)) "=" (say(&shortened(value))) "; " } }
                }
            }
        }
    }
}

fn rules(page: &HuntPage<'_>) -> Markup {
    let totals = by_rule(page.sightings);
    html! {
        section #rules aria-labelledby="rules-title" {
            h2 #rules-title { "By rule" }
            @if totals.is_empty() { p { "No rule fits." } }
            @else {
                div.scroll tabindex="0" role="region" aria-labelledby="rules-title" {
                    table {
                        thead { tr { th.number { "records" } th { "level" } th { "rule" } th { "whose" } th { "file" } } }
                        tbody {
                            @for total in &totals {
                                tr {
                                    td.number { ((page.counted)(total)) }
                                    td { (badge(total.fit.level.name())) }
                                    td { (say(&total.fit.note)) " " small { (say(&total.fit.rule)) } }
                                    td { (total.fit.whose.name()) }
                                    td { (say(total.fit.file.as_deref().unwrap_or_default())) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn tactics(page: &HuntPage<'_>) -> Markup {
    let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
    for it in page.sightings {
        let mut served: Vec<&str> = it.fits.iter().flat_map(tactics_of).collect();
        served.sort_unstable();
        served.dedup();
        for tactic in served {
            *counted.entry(tactic).or_default() += 1;
        }
    }
    let in_order = |tactic: &&Tactic| counted.contains_key(tactic.name.as_str());
    html! {
        section #tactics aria-labelledby="tactics-title" {
            h2 #tactics-title { "By tactic of ATT&CK" }
            @if counted.is_empty() { p { "No rule that fits names a tactic." } }
            @else {
                table {
                    thead { tr { th.number { "records" } th { "tactic" } } }
                    tbody {
                        @for tactic in shipped().tactics().iter().filter(in_order) {
                            tr { td.number { (counted.get(tactic.name.as_str()).copied().unwrap_or_default()) } td { (say(&tactic.name)) " " small { (tactic.id) } } }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the tactics of a rule, by its techniques and, for Sigma, by its tags.
fn tactics_of(fit: &crate::hunt::Fit) -> Vec<&'static str> {
    let technique = |id: &String| {
        let id = TechniqueId::new(id).ok()?;
        // If our data lacks a sub-technique, its parent technique has the same tactics.
        shipped().technique(&id).or_else(|| shipped().technique(&id.parent()?))
    };
    let by_technique = fit.techniques.iter().filter_map(technique);
    let by_technique = by_technique.flat_map(|it| shipped().tactics_of(it)).map(|it| it.name.as_str());
    let tagged = |tactic: &&Tactic| {
        let tag = |tag: &String| {
            let name = tag.to_ascii_lowercase().replace('_', "-");
            name.strip_prefix("attack.").is_some_and(|name| name == tactic.shortname)
        };
        fit.tags.iter().any(tag)
    };
    by_technique.chain(shipped().tactics().iter().filter(tagged).map(|it| it.name.as_str())).collect()
}

fn loaded(page: &HuntPage<'_>) -> Markup {
    html! {
        section #loaded aria-labelledby="loaded-title" {
            h2 #loaded-title { "Rules" }
            p { (shipped().rules().count()) " rules of this program." }
            @if !page.rules.is_empty() {
                ul { @for line in page.rules.iter().take(SHOWN) { li { (say(line)) } } }
            }
            @if page.rules.len() > SHOWN { p { (page.rules.len() - SHOWN) " more lines: locard rules check gives all of them." } }
        }
    }
}

fn unread(page: &HuntPage<'_>) -> Markup {
    html! {
        section #unread aria-labelledby="unread-title" {
            h2 #unread-title { "What was not read" }
            @if page.gaps.is_empty() && page.defects.is_empty() { p { "Everything that rules look at was read." } }
            @if !page.gaps.is_empty() {
                ul { @for gap in page.gaps.iter().take(SHOWN) { li { code { (say(&gap.path)) } ": " (say(&gap.reason)) } } }
            }
            @if page.gaps.len() > SHOWN { p { (page.gaps.len() - SHOWN) " more." } }
            @if !page.defects.is_empty() {
                h3 { "Damage" }
                ul { @for defect in page.defects.iter().take(SHOWN) { li { code { (say(&defect.path)) } ": " (say(&defect.what)) } } }
            }
            @if page.defects.len() > SHOWN { p { (page.defects.len() - SHOWN) " more." } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hunt::sightings;
    use detect::Level;
    use ledger::{Field, FieldValue, Locator, Record, RecordId};

    fn record(command: &str) -> Record {
        let held = Field { at: None, value: FieldValue::Text(command.to_owned()) };
        Record {
            placement: None,
            defects: Vec::new(),
            fields: [("command".to_owned(), held)].into(),
            id: RecordId(0),
            kind: "typed_command".to_owned(),
            locator: Locator { evidence: "e".to_owned(), path: "h".to_owned(), stream: None, span: None },
        }
    }

    #[test]
    fn a_page_counts_by_rule_and_tactic_and_text_of_the_evidence_stays_text() {
        let records = [record("mimikatz.exe <script>alert(1)</script>")];
        let all = sightings(&records, &[], &|_| None, Level::Medium);
        let gaps = [Gap { path: "a<b".to_owned(), reason: "too & long".to_owned() }];
        let page = hunt_page(&HuntPage {
            title: "a case",
            between: None,
            sightings: &all,
            counted: &|total| total.records as u64,
            rules: &["3 rules of others".to_owned()],
            remarks: &[],
            gaps: &gaps,
            defects: &[],
        });
        assert!(
            page.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && !page.contains("<script"),
            "{page}"
        );
        assert!(page.contains("Credential Access") && page.contains("1 critical"), "{page}");
        assert!(page.contains("a&lt;b") && page.contains("3 rules of others"), "{page}");
        assert!(page.contains("script-src 'none'"), "{page}");
    }
}
