//! Facts in files and browser databases.

use super::{text, time};
use crate::demo::browsers::{HISTORY, PLACES};
use crate::demo::files::typed;
use crate::demo::logs;
use crate::demo::parts::collected;
use crate::demo::story::*;
use crate::demo::tasks;
use crate::demo::truth::{Datum, Fact, Place};

/// Returns these facts.
pub(crate) fn all() -> Vec<Fact> {
    [traces(), persistence(), histories(), logs()].concat()
}

fn file(id: &'static str, question: &'static str, file: &str, values: Vec<Datum>) -> Fact {
    Fact { id, question, values, file: file.to_owned(), place: Place::Whole }
}

/// Facts about what was done with the ledgers.
fn traces() -> Vec<Fact> {
    let bin = format!("p1/$Recycle.Bin/{}", local_sid(MARA_RID));
    vec![
        file("pack-command", "Which command packed the ledgers?", &typed(MARA), vec![text(PACK_COMMAND)]),
        file(
            "copy-command",
            "Which command copied the archive away?",
            &typed(MARA),
            vec![text(COPY_COMMAND)],
        ),
        file(
            "archive-list",
            "What was packed?",
            &collected(ARCHIVE_LIST),
            vec![text(&format!("{LEDGER_FOLDER}\\2025-q3.csv"))],
        ),
        file(
            "archive-deleted",
            "When was the archive deleted?",
            &format!("{bin}/$I{ARCHIVE_BIN}.zip"),
            vec![text(ARCHIVE), time(ARCHIVE_DELETED)],
        ),
        file(
            "lunch-deleted",
            "What else lies in the recycle bin?",
            &format!("{bin}/$I{LUNCH_BIN}.txt"),
            vec![text(LUNCH), time(LUNCH_DELETED)],
        ),
        file("installer-file", "Where is the installer?", &collected(INSTALLER), vec![text(INSTALLER)]),
        file("program-file", "Where is the fake program?", &collected(PROGRAM), vec![text(PROGRAM)]),
    ]
}

/// Facts from event logs and prefetch. Binary logs store the names in UTF-16, so the truth is what the builder was given.
fn logs() -> Vec<Fact> {
    vec![
        file(
            "log-cleared",
            "Which event log was cleared, when, by whom?",
            logs::SECURITY,
            vec![text("Security"), time(logs::CLEARED), text(PLANT)],
        ),
        file(
            "service-installed",
            "When did the system log the service?",
            logs::SYSTEM_LOG,
            vec![text(SERVICE_TITLE), text(SERVICE_COMMAND), time(SERVICE_MADE.plus_ticks(2_118_040))],
        ),
        file(
            "installer-prefetch",
            "When did the installer run, by prefetch?",
            logs::PREFETCH,
            vec![text(logs::PREFETCH_NAME), time(STARTED)],
        ),
    ]
}

/// Facts about what the intruder left in files.
fn persistence() -> Vec<Fact> {
    vec![
        file(
            "hosts-line",
            "Which host is blocked?",
            "p1/Windows/System32/drivers/etc/hosts",
            vec![text(BLOCKED_HOST)],
        ),
        file(
            "task",
            "What does the planted task start?",
            &tasks::path(TASK),
            vec![text(PROGRAM), text(TASK_ARGUMENTS)],
        ),
        file(
            "task-ordinary",
            "What does the backup task start?",
            &tasks::path(BACKUP_TASK),
            vec![text(BACKUP_PROGRAM)],
        ),
        file(
            "startup-script",
            "Which script starts for everybody?",
            &collected(STARTUP_SCRIPT),
            vec![text(PROGRAM)],
        ),
        file(
            "control-address",
            "Whom did the fake program contact?",
            "p1/ProgramData/ScanToPdf/install.log",
            vec![text(CONTROL_HOST), text(CONTROL_ADDRESS)],
        ),
    ]
}

fn histories() -> Vec<Fact> {
    let row = |id, question, file: &str, table, values| Fact {
        id,
        question,
        values,
        file: file.to_owned(),
        place: Place::Table(table),
    };
    let log = format!("{HISTORY}-wal");
    vec![
        row(
            "page-visited",
            "When was the page of the fake tool visited?",
            HISTORY,
            "visits",
            vec![text(PAGE), time(VISITED)],
        ),
        row("search", "What was searched for?", HISTORY, "keyword_search_terms", vec![text(SEARCH)]),
        row(
            "installer-downloaded",
            "From where and when was the installer downloaded?",
            &log,
            "downloads",
            vec![text(INSTALLER_URL), text(INSTALLER), time(DOWNLOADED)],
        ),
        row(
            "form-downloaded",
            "Which form was downloaded?",
            HISTORY,
            "downloads",
            vec![text(FORM_URL), text(FORM), time(FORM_DOWNLOADED)],
        ),
        row(
            "docs-visited",
            "Which page about backups did it-admin read?",
            PLACES,
            "moz_historyvisits",
            vec![text(DOCS_URL), time(DOCS_VISITED)],
        ),
    ]
}
