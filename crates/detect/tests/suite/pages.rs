//! Compares the pages with the rules: `docs/detections.md` lists them, `docs/attack.md` counts them.
//! To accept a change: `UPDATE_GOLDEN=1 cargo test -p detect`, read the difference, commit it with the change.

use crate::attack::rules;
use detect::{Attack, Edition, Entry, Kind, Level, TechniqueId};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

const BEGIN: &str = "<!-- written by a test of crates/detect -->\n";
const END: &str = "<!-- end -->\n";

fn page(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

/// Compares the text between the marks of a page with the expected text, or writes it there.
fn check(name: &str, expected: &str) {
    let text = fs::read_to_string(page(name)).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (written, after) = rest.split_once(END).unwrap();
    #[expect(clippy::disallowed_methods, reason = "how a developer accepts a change")]
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let text = format!("{before}{BEGIN}{expected}{END}{after}");
        fs::File::create(page(name)).unwrap().write_all(text.as_bytes()).unwrap();
        return;
    }
    let differs = written.lines().zip(expected.lines()).find(|(written, expected)| written != expected);
    assert!(written == expected, "{name} is not what the rules are: {differs:?}");
}

/// Returns what a level means, as documented at [`Level`].
const fn meaning(level: Level) -> &'static str {
    match level {
        Level::Critical => "next to nothing but an attack leaves such a trace",
        Level::High => "rarely anything but an intrusion, or a test of one, leaves it",
        Level::Medium => "unusual; administrators and some software leave it, too",
        Level::Low => "seen on many computers, and in many intrusions",
        Level::Ordinary => "what any Windows has, or what no rule knows",
    }
}

#[test]
fn the_page_counts_the_rules_of_each_level() {
    let attack = Attack::shipped().unwrap();
    let mut table = "| level | rules | meaning |\n|---|---|---|\n".to_owned();
    for level in Level::ALL.into_iter().filter(|level| *level > Level::Ordinary) {
        let rules = attack.rules().filter(|rule| rule.1 == level).count();
        writeln!(table, "| {} | {rules} | {} |", level.name(), meaning(level)).unwrap();
    }
    writeln!(table, "| {} | – | {} |", Level::Ordinary.name(), meaning(Level::Ordinary)).unwrap();
    check("attack.md", &table);
}

#[test]
fn the_list_of_detections_is_that_of_the_rules() {
    let attack = Attack::shipped().unwrap();
    let (_, rules) = rules();
    let mut list = String::new();
    for level in Level::ALL.into_iter().filter(|level| *level > Level::Ordinary) {
        writeln!(list, "\n## {}\n\n| rule | what | techniques |\n|---|---|---|", level.name()).unwrap();
        let mut of_level: Vec<_> = attack.rules().filter(|rule| rule.1 == level).collect();
        of_level.sort_unstable();
        for (id, _, note) in of_level {
            let rule = rules.iter().find(|rule| rule["id"].as_str() == Some(id)).unwrap();
            let techniques: Vec<_> = rule["techniques"]
                .as_array()
                .unwrap()
                .iter()
                .map(|named| {
                    let technique =
                        attack.technique(&TechniqueId::new(named.as_str().unwrap()).unwrap()).unwrap();
                    format!("{} {}", technique.id, technique.name)
                })
                .collect();
            writeln!(list, "| `{id}` | {note} | {} |", techniques.join(", ")).unwrap();
        }
    }
    check("detections.md", &list);
}

/// Returns the versions that have it.
fn versions(entry: &Entry) -> String {
    let edition = match entry.edition {
        Some(Edition::Client) => " (clients)",
        Some(Edition::Server) => " (servers)",
        None => "",
    };
    let span = match (entry.since, entry.until) {
        (None, None) => "any".to_owned(),
        (Some(since), None) => format!("from {}", since.name()),
        (None, Some(until)) => format!("to {}", until.name()),
        (Some(since), Some(until)) if since == until => since.name().to_owned(),
        (Some(since), Some(until)) => format!("{} to {}", since.name(), until.name()),
    };
    format!("{span}{edition}")
}

#[test]
fn the_list_of_what_windows_brings_along_is_that_of_the_data() {
    let attack = Attack::shipped().unwrap();
    let mut list = String::new();
    for (kind, name) in [
        (Kind::Service, "Services"),
        (Kind::Driver, "Drivers"),
        (Kind::Task, "Scheduled tasks"),
        (Kind::Autostart, "Values of Run keys"),
        (Kind::Process, "Processes"),
    ] {
        let entries: Vec<_> = attack.windows().entries().iter().filter(|entry| entry.kind == kind).collect();
        writeln!(list, "\n## {name}\n\n{} entries.\n", entries.len()).unwrap();
        writeln!(list, "| name | program or class | Windows | why |\n|---|---|---|---|").unwrap();
        for entry in entries {
            let what = entry.programs.iter().chain(&entry.classes).map(|it| format!("`{it}`"));
            let what = what.collect::<Vec<_>>().join(", ");
            let name = entry.name.replace('|', "\\|");
            writeln!(list, "| `{name}` | {what} | {} | {} |", versions(entry), entry.reason).unwrap();
        }
    }
    check("baseline-list.md", &list);
}
