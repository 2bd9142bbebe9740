//! Why nothing meets an objective: a source exists and says nothing, or there is no source.

use super::images::windows_volume;
use super::{investigated, shipped};
use crate::support::Place;
use ledger::event::WithoutFact;

/// How an objective of an agent ends for this evidence, and the sources it would need; `verify` recomputes both.
fn stands(place: &Place, agent: &str, evidence: &str, objective: &str) -> (String, Vec<String>) {
    let (finished, _) = investigated(place, &shipped(agent), &place.path(evidence));
    let certificate = app::verify(&finished.folder);
    assert!(certificate.holds(), "{agent} over {evidence}: {certificate:#?}");
    let (_, ended) = &finished.tasks[0];
    let result = ended.objectives.iter().find(|result| result.id == objective).unwrap();
    let needed = match &result.without {
        Some(WithoutFact::NotDeterminable { needed }) => needed.clone(),
        _ => Vec::new(),
    };
    (result.answer().to_owned(), needed)
}

#[test]
fn what_the_evidence_has_no_source_for_cannot_be_told() {
    const HOSTS: &str = "the hosts file (Windows\\System32\\drivers\\etc\\hosts)";
    const VOLUME: &str = "a disk image of the volume with Windows";
    const IMAGE: &str = "a disk image: a collection holds only what was collected";
    const COMMANDS: &str = "event logs that record command lines (Sysmon, or Security where that is audited)";
    let place = Place::new();
    place.file("triage/C/Users/mara/Documents/plan.txt", "a plan\r\n");
    let etc = "triage-with-hosts/C/Windows/System32/drivers/etc";
    place.file(&format!("{etc}/hosts"), "# Copyright\r\n\r\n");
    place.file(&format!("{etc}/services"), "http 80/tcp\r\n");
    place.file("triage-with-tasks/C/Windows/System32/Tasks/.keep", "");
    place.file(
        "triage-with-menu/C/ProgramData/Microsoft/Windows/Start Menu/Programs/StartUp/desktop.ini",
        "[.ShellClassInfo]\r\n",
    );
    place.file("volume.dd", windows_volume());
    for (agent, evidence, objective, answer, needed) in [
        ("filesystem", "triage", "hosts", "not_determinable", vec![HOSTS, VOLUME]),
        ("filesystem", "triage-with-hosts", "hosts", "empty", vec![]),
        ("filesystem", "volume.dd", "hosts", "empty", vec![]),
        ("filesystem", "triage", "programs", "not_determinable", vec![IMAGE]),
        ("filesystem", "volume.dd", "programs", "empty", vec![]),
        ("filesystem", "triage", "profiles", "met", vec![]),
        ("eventlog", "triage", "cleared", "not_determinable", vec!["the event log of the channel Security"]),
        ("eventlog", "triage", "commands", "not_determinable", vec![COMMANDS]),
        ("eventlog", "volume.dd", "commands", "not_determinable", vec![COMMANDS]),
        ("execution", "triage", "prefetch", "not_determinable", vec!["prefetch files (Windows\\Prefetch)"]),
        ("persistence", "triage", "debuggers", "not_determinable", vec!["a SOFTWARE hive"]),
        (
            "persistence",
            "triage",
            "tasks",
            "not_determinable",
            vec![
                "scheduled tasks (files in Windows\\System32\\Tasks)",
                "a SOFTWARE hive",
                "the files of old scheduled tasks (.job)",
                "the event log of the task scheduler (Microsoft-Windows-TaskScheduler/Operational)",
            ],
        ),
        (
            "persistence",
            "triage",
            "startup",
            "not_determinable",
            vec!["a StartUp folder (Start Menu\\Programs\\Startup)"],
        ),
        ("persistence", "triage-with-menu", "startup", "empty", vec![]),
        (
            "user-activity",
            "triage",
            "devices",
            "not_determinable",
            vec![
                "a SYSTEM hive",
                "a SOFTWARE hive",
                "the event log of devices (Microsoft-Windows-Kernel-PnP/Configuration)",
                "the log of device installations (setupapi.dev.log)",
            ],
        ),
    ] {
        let stands = stands(&place, agent, evidence, objective);
        assert_eq!(
            stands,
            (answer.to_owned(), needed.iter().map(|text| (*text).to_owned()).collect()),
            "{agent} {objective} over {evidence}"
        );
    }
}
