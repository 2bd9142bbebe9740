//! Facts about the file server.

use super::{Hive, text, time};
use crate::demo::parts::rot13;
use crate::demo::server::{SYSTEM, TYPED, USER_HIVE};
use crate::demo::story::*;
use crate::demo::truth::{Datum, Fact, Place};
use crate::demo::users::{EXPLORER, PROGRAMS};

/// Returns these facts.
pub(crate) fn all() -> Vec<Fact> {
    [machine(), user()].concat()
}

fn machine() -> Vec<Fact> {
    Hive::new(SYSTEM)
        .value(
            "server-name",
            "What is the server's name?",
            "ControlSet001\\Control\\ComputerName\\ComputerName",
            "ComputerName",
            vec![text(SERVER)],
        )
        .value(
            "server-shutdown",
            "When was the server last shut down?",
            "ControlSet001\\Control\\Windows",
            "ShutdownTime",
            vec![time(SERVER_SHUTDOWN)],
        )
        .value(
            "server-address",
            "Which address does the server have?",
            &format!("ControlSet001\\Services\\Tcpip\\Parameters\\Interfaces\\{SERVER_CARD}"),
            "IPAddress",
            vec![text(FILE_SERVER)],
        )
        .facts
}

fn user() -> Vec<Fact> {
    let typed = |id, question, command: &str| Fact {
        id,
        question,
        values: vec![text(command)],
        file: TYPED.to_owned(),
        place: Place::Whole,
    };
    let mut facts = Hive::new(USER_HIVE)
        .value(
            "server-folder",
            "Which folder did svc-backup open there?",
            &format!("{EXPLORER}\\TypedPaths"),
            "url1",
            vec![text(SERVER_FOLDER)],
        )
        .value(
            "server-program",
            "Which program did svc-backup start there, and when?",
            &format!("{EXPLORER}\\UserAssist\\{PROGRAMS}\\Count"),
            &rot13(CONSOLE),
            vec![text(CONSOLE), Datum::Number(1), time(SERVER_STARTED)],
        )
        .facts;
    facts.push(typed("server-search", "Which command searched for ledgers there?", SERVER_COMMAND));
    facts.push(typed("server-copy", "Which command took a ledger from there?", SERVER_COPY));
    facts
}
