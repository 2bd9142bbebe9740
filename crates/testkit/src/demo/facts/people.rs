//! Facts in the SAM hive and in mara's hive: accounts, and what was done in her session.

use super::{Hive, MARA_HIVE, SAM, text, time};
use crate::demo::parts::rot13;
use crate::demo::story::*;
use crate::demo::truth::{Datum, Fact};

/// Returns these facts.
pub(crate) fn all() -> Vec<Fact> {
    [accounts(), plant(), typed(), programs(), documents(), elsewhere()].concat()
}

const EXPLORER: &str = "Software\\Microsoft\\Windows\\CurrentVersion\\Explorer";
const ACCOUNT: &str = "SAM\\Domains\\Account";

fn user(rid: u32) -> String {
    format!("{ACCOUNT}\\Users\\{rid:08X}")
}

fn accounts() -> Vec<Fact> {
    let [a, b, c] = MACHINE_SID;
    Hive::new(SAM)
        .value(
            "machine-sid",
            "What is the SID of the machine?",
            ACCOUNT,
            "V",
            vec![text(&format!("S-1-5-21-{a}-{b}-{c}"))],
        )
        .key(
            "mara",
            "Who is mara, and when did she last log on?",
            &user(MARA_RID),
            vec![text(MARA_NAME), time(MARA_LOGON), Datum::Number(u32::from(MARA_LOGONS))],
        )
        .value(
            "mara-wrong-password",
            "When was her password last mistyped?",
            &user(MARA_RID),
            "F",
            vec![time(MARA_WRONG_PASSWORD)],
        )
        .key(
            "it-admin-logon",
            "When did it-admin last log on?",
            &user(IT_ADMIN_RID),
            vec![text(IT_ADMIN), time(IT_ADMIN_LOGON)],
        )
        .facts
}

fn plant() -> Vec<Fact> {
    const ADMINISTRATORS: &str = "SAM\\Domains\\Builtin\\Aliases\\00000220";
    Hive::new(SAM)
        .key(
            "plant-account",
            "Which account did the intruder make?",
            &user(PLANT_RID),
            vec![text(PLANT), text(PLANT_COMMENT), Datum::Number(PLANT_RID)],
        )
        .key(
            "plant-made",
            "When was it made?",
            &format!("{ACCOUNT}\\Users\\Names\\{PLANT}"),
            vec![time(PLANT_MADE.key_write())],
        )
        .value(
            "plant-logon",
            "When did it last log on?",
            &user(PLANT_RID),
            "F",
            vec![time(PLANT_LOGON), Datum::Number(u32::from(PLANT_LOGONS))],
        )
        .value(
            "plant-administrator",
            "Is it an administrator?",
            ADMINISTRATORS,
            "C",
            vec![text("Administrators"), text(&local_sid(PLANT_RID))],
        )
        .facts
}

fn typed() -> Vec<Fact> {
    const IE: &str = "Software\\Microsoft\\Internet Explorer";
    Hive::new(MARA_HIVE)
        .value(
            "page-typed",
            "Which address was typed last?",
            &format!("{IE}\\TypedURLs"),
            "url1",
            vec![text(PAGE)],
        )
        .value(
            "page-typed-time",
            "When was it typed?",
            &format!("{IE}\\TypedURLsTime"),
            "url1",
            vec![time(VISITED)],
        )
        .value(
            "intranet-typed",
            "Which address was typed before?",
            &format!("{IE}\\TypedURLs"),
            "url2",
            vec![text(INTRANET)],
        )
        .value(
            "run-dialogue",
            "What was last typed into the Run dialogue?",
            &format!("{EXPLORER}\\RunMRU"),
            "c",
            vec![text("powershell")],
        )
        .value(
            "ledger-folder",
            "Which folder of ledgers was typed into Explorer?",
            &format!("{EXPLORER}\\TypedPaths"),
            "url2",
            vec![text(LEDGER_FOLDER)],
        )
        .facts
}

fn programs() -> Vec<Fact> {
    const RUN: &str = "Microsoft\\Windows\\CurrentVersion\\Run";
    let counts = format!("{EXPLORER}\\UserAssist\\{{CEBFF5CD-ACE2-4F4F-9178-9926F41749EA}}\\Count");
    Hive::new(MARA_HIVE)
        .value(
            "installer-started",
            "When was the installer started, and how often?",
            &counts,
            &rot13(INSTALLER),
            vec![text(INSTALLER), Datum::Number(STARTS), time(STARTED)],
        )
        .value(
            "calculator",
            "How often was the calculator started, and when last?",
            &counts,
            &rot13(CALCULATOR),
            vec![text("calc.exe"), Datum::Number(CALCULATOR_RUNS), time(CALCULATOR_RAN)],
        )
        .value(
            "onedrive",
            "What starts with mara's session?",
            &format!("Software\\{RUN}"),
            "OneDrive",
            vec![text(ONEDRIVE)],
        )
        .facts
}

fn documents() -> Vec<Fact> {
    Hive::new(MARA_HIVE)
        .value(
            "archive-opened",
            "Which archive was opened last?",
            &format!("{EXPLORER}\\RecentDocs\\.zip"),
            "0",
            vec![text(OPENED_ARCHIVE)],
        )
        .value(
            "document",
            "Which document was opened?",
            &format!("{EXPLORER}\\RecentDocs\\.docx"),
            "0",
            vec![text(DOCUMENT)],
        )
        .value(
            "archive-saved",
            "Which archive was chosen in a dialogue?",
            &format!("{EXPLORER}\\ComDlg32\\OpenSavePidlMRU\\zip"),
            "0",
            vec![text(OPENED_ARCHIVE)],
        )
        .facts
}

fn elsewhere() -> Vec<Fact> {
    Hive::new(MARA_HIVE)
        .key(
            "stick-mounted",
            "When did mara's session see the stick?",
            &format!("{EXPLORER}\\MountPoints2\\{STICK_VOLUME}"),
            vec![text(STICK_VOLUME), time(STICK_IN.key_write())],
        )
        .value(
            "remote-server",
            "To which machine did remote desktop go?",
            &format!("Software\\Microsoft\\Terminal Server Client\\Servers\\{FILE_SERVER}"),
            "UsernameHint",
            vec![text(FILE_SERVER), text(REMOTE_USER)],
        )
        .facts
}
