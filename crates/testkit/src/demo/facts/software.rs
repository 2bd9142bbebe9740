//! Facts in the SOFTWARE hive: Windows, profiles, programs, autostarts.

use super::{Hive, SOFTWARE, text, time};
use crate::demo::story::*;
use crate::demo::truth::{Datum, Fact};

/// Returns these facts.
pub(crate) fn all() -> Vec<Fact> {
    [windows(), profiles(), programs(), run(), logon()].concat()
}

const NT: &str = "Microsoft\\Windows NT\\CurrentVersion";

fn windows() -> Vec<Fact> {
    Hive::new(SOFTWARE)
        .key(
            "windows",
            "Which Windows is installed?",
            NT,
            vec![text(PRODUCT), text(RELEASE), text(BUILD), Datum::Number(REVISION)],
        )
        .value("owner", "To whom is it registered?", NT, "RegisteredOwner", vec![text(OWNER)])
        .value("installed", "When was Windows installed?", NT, "InstallDate", vec![time(INSTALLED)])
        .value(
            "cafe",
            "To which foreign network was it connected?",
            &format!("{NT}\\NetworkList\\Profiles\\{CAFE_PROFILE}"),
            "ProfileName",
            vec![text(CAFE)],
        )
        .facts
}

fn profiles() -> Vec<Fact> {
    let profile = |sid: String| format!("{NT}\\ProfileList\\{sid}");
    let (mara, admin) = (profile(local_sid(MARA_RID)), profile(local_sid(IT_ADMIN_RID)));
    let colleague = profile(domain_sid(COLLEAGUE_RID));
    Hive::new(SOFTWARE)
        .value(
            "profile-mara",
            "Where is the profile of mara?",
            &mara,
            "ProfileImagePath",
            vec![text("C:\\Users\\mara"), text(&local_sid(MARA_RID))],
        )
        .value(
            "profile-it-admin",
            "Where is the profile of it-admin?",
            &admin,
            "ProfileImagePath",
            vec![text("C:\\Users\\it-admin"), text(&local_sid(IT_ADMIN_RID))],
        )
        .value(
            "profile-domain",
            "Which domain account has a profile?",
            &colleague,
            "ProfileImagePath",
            vec![text(&format!("C:\\Users\\{COLLEAGUE}")), text(&domain_sid(COLLEAGUE_RID))],
        )
        .value(
            "last-user",
            "Who logged on last at the console?",
            "Microsoft\\Windows\\CurrentVersion\\Authentication\\LogonUI",
            "LastLoggedOnUser",
            vec![text(&format!("{HOST}\\{MARA}"))],
        )
        .facts
}

fn programs() -> Vec<Fact> {
    Hive::new(SOFTWARE)
        .value(
            "ledgerline",
            "Which accounting program is installed?",
            "Microsoft\\Windows\\CurrentVersion\\Uninstall\\Ledgerline",
            "DisplayName",
            vec![text(LEDGERLINE)],
        )
        .key(
            "scan-to-pdf",
            "As what does the fake tool list itself?",
            "Microsoft\\Windows\\CurrentVersion\\Uninstall\\ScanToPdf",
            vec![text(UNINSTALL_NAME), text(UNINSTALL_PUBLISHER)],
        )
        .facts
}

fn run() -> Vec<Fact> {
    const RUN: &str = "Microsoft\\Windows\\CurrentVersion\\Run";
    Hive::new(SOFTWARE)
        .value(
            "run-planted",
            "Which Run value starts the fake program?",
            RUN,
            RUN_NAME,
            vec![text(RUN_NAME), text(RUN_COMMAND)],
        )
        .key("run-written", "When was the Run key last written?", RUN, vec![time(PLANTED.key_write())])
        .value(
            "run-ordinary",
            "What else does the Run key start?",
            RUN,
            "SecurityHealth",
            vec![text(SECURITY_HEALTH)],
        )
        .value(
            "run-32",
            "What does the Run key for 32-bit programs start?",
            &format!("Wow6432Node\\{RUN}"),
            "LedgerlineTray",
            vec![text(LEDGERLINE_TRAY)],
        )
        .facts
}

fn logon() -> Vec<Fact> {
    let debugged = format!("{NT}\\Image File Execution Options\\{DEBUGGED}");
    let hidden = format!("{NT}\\Winlogon\\SpecialAccounts\\UserList");
    Hive::new(SOFTWARE)
        .value(
            "debugger",
            "Which debugger is set for sticky keys?",
            &debugged,
            "Debugger",
            vec![text(DEBUGGER)],
        )
        .key(
            "debugger-set",
            "When was it set?",
            &debugged,
            vec![text(DEBUGGED), time(DEBUGGER_SET.key_write())],
        )
        .value(
            "plant-hidden",
            "Which account is hidden from the logon screen?",
            &hidden,
            PLANT,
            vec![text(PLANT), Datum::Number(0)],
        )
        .facts
}
