//! The hives of the two users: mara, whose session the intruder used, and it-admin, who did nothing wrong.

use super::clock::Time;
use super::parts::{at, dated};
use super::shell::{Used, dialogue_files, recency, recent_documents};
use super::story::*;
use crate::hive::{KeySpec, ValueSpec as Value};

const WINDOWS: &str = "Software\\Microsoft\\Windows\\CurrentVersion";
pub(crate) const EXPLORER: &str = "Software\\Microsoft\\Windows\\CurrentVersion\\Explorer";
pub(crate) const PROGRAMS: &str = "{CEBFF5CD-ACE2-4F4F-9178-9926F41749EA}";
const LINKS: &str = "{F4E57C4B-2036-45F0-A9AB-443BCFE33D9F}";

/// Builds mara's hive.
pub(crate) fn mara() -> KeySpec {
    let typed = at(PLANTED).value(Value::sz("url1", PAGE)).value(Value::sz("url2", INTRANET));
    let times = at(PLANTED)
        .value(Value::binary("url1", &VISITED.bytes()))
        .value(Value::binary("url2", &ORDINARY.bytes()));
    let root = user()
        .path(&format!("{WINDOWS}\\Run"), at(ORDINARY).value(Value::sz("OneDrive", ONEDRIVE)))
        .path("Software\\Microsoft\\Internet Explorer\\TypedURLs", typed)
        .path("Software\\Microsoft\\Internet Explorer\\TypedURLsTime", times)
        .path(
            &format!("{EXPLORER}\\RunMRU"),
            at(STAGED)
                .value(Value::sz("a", "calc\\1"))
                .value(Value::sz("b", &format!("{SHARED_FOLDER}\\1")))
                .value(Value::sz("c", "powershell\\1"))
                .value(Value::sz("MRUList", "cba")),
        )
        .path(
            &format!("{EXPLORER}\\TypedPaths"),
            at(STICK_IN)
                .value(Value::sz("url1", STICK_FOLDER))
                .value(Value::sz("url2", LEDGER_FOLDER))
                .value(Value::sz("url3", SHARED_FOLDER)),
        )
        .path(
            "Software\\Microsoft\\Terminal Server Client\\Default",
            at(REMOTE_USED).value(Value::sz("MRU0", FILE_SERVER)),
        )
        .path(
            &format!("Software\\Microsoft\\Terminal Server Client\\Servers\\{FILE_SERVER}"),
            at(REMOTE_USED).value(Value::sz("UsernameHint", REMOTE_USER)),
        );
    let root = mara_documents(root);
    let root = mara_mounts(root);
    dated(mara_programs(root), ORDINARY)
}

fn mara_documents(root: KeySpec) -> KeySpec {
    let documents = format!("{EXPLORER}\\RecentDocs");
    let dialogue = format!("{EXPLORER}\\ComDlg32\\OpenSavePidlMRU");
    let lunch = LUNCH.rsplit('\\').next().unwrap_or_default();
    root.path(&documents, recent_documents(at(STAGED), &[OPENED_ARCHIVE, DOCUMENT, lunch], STAGED))
        .path(&format!("{documents}\\.zip"), recent_documents(at(STAGED), &[OPENED_ARCHIVE], STAGED))
        .path(&format!("{documents}\\.docx"), recent_documents(at(AUGUST), &[DOCUMENT], AUGUST))
        .path(&format!("{documents}\\.txt"), recent_documents(at(AUGUST), &[lunch], AUGUST))
        .path(&format!("{dialogue}\\*"), dialogue_files(at(STAGED), &[ARCHIVE, FORM], STAGED))
        .path(&format!("{dialogue}\\zip"), dialogue_files(at(STAGED), &[ARCHIVE], STAGED))
        .path(&format!("{dialogue}\\pdf"), dialogue_files(at(FORM_DOWNLOADED), &[FORM], FORM_DOWNLOADED))
}

fn mara_mounts(root: KeySpec) -> KeySpec {
    let mounts = format!("{EXPLORER}\\MountPoints2");
    root.path(
        &format!("{mounts}\\##fileserver#ledgers"),
        at(ORDINARY).value(Value::sz("_CommentFromDesktopINI", "")),
    )
    .path(&format!("{mounts}\\{OLD_STICK_VOLUME}"), at(AUGUST).value(Value::dword("Generation", 2)))
    .path(&format!("{mounts}\\{STICK_VOLUME}"), at(STICK_IN).value(Value::dword("Generation", 1)))
}

fn mara_programs(root: KeySpec) -> KeySpec {
    let programs = [
        Used {
            name: CALCULATOR,
            runs: CALCULATOR_RUNS,
            focused: 340,
            focus_time: 5_204_118,
            last: CALCULATOR_RAN,
        },
        Used { name: SEVEN_ZIP, runs: 9, focused: 14, focus_time: 421_930, last: AUGUST.plus(1_004) },
        Used { name: INSTALLER, runs: STARTS, focused: 3, focus_time: 48_217, last: STARTED },
        Used { name: CONSOLE, runs: 2, focused: 6, focus_time: 611_402, last: STAGED },
        Used {
            name: "Microsoft.Windows.Explorer",
            runs: 388,
            focused: 2_911,
            focus_time: 90_118_377,
            last: STAGED.plus(301),
        },
    ];
    let links = [Used {
        name: "{0139D44E-6AFE-49F2-8690-3DAFCAE6FFB8}\\Ledgerline\\Ledgerline Accounting.lnk",
        runs: 97,
        focused: 0,
        focus_time: 0,
        last: MORNING.plus(490),
    }];
    let root = used(root, PROGRAMS, &programs, STAGED.plus(301));
    used(root, LINKS, &links, MORNING.plus(490))
}

/// Builds it-admin's hive.
pub(crate) fn it_admin() -> KeySpec {
    let programs = [
        Used {
            name: "{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\mmc.exe",
            runs: 21,
            focused: 60,
            focus_time: 3_400_871,
            last: IT_ADMIN_LOGON.plus(310),
        },
        Used { name: CONSOLE, runs: 12, focused: 33, focus_time: 1_902_114, last: IT_ADMIN_LOGON.plus(420) },
    ];
    let root = user()
        .path(
            &format!("{WINDOWS}\\Run"),
            at(INSTALLED).value(Value::sz("OneDrive", &ONEDRIVE.replace("\\mara\\", "\\it-admin\\"))),
        )
        .path(
            &format!("{WINDOWS}\\RunOnce"),
            at(IT_ADMIN_LOGON).value(Value::sz(
                "Delete Cached Update Binary",
                "C:\\Windows\\system32\\cmd.exe /q /c del /q \"C:\\Users\\it-admin\\AppData\\Local\\Microsoft\\OneDrive\\Update\\OneDriveSetup.exe\"",
            )),
        )
        .path("Software\\Microsoft\\Internet Explorer\\TypedURLs", at(INSTALLED).value(Value::sz("url1", INTRANET)))
        .path(
            "Software\\Microsoft\\Internet Explorer\\TypedURLsTime",
            at(INSTALLED).value(Value::binary("url1", &INSTALLED.plus(900).bytes())),
        );
    let root = it_admin_explorer(root);
    dated(used(root, PROGRAMS, &programs, IT_ADMIN_LOGON.plus(420)), INSTALLED)
}

fn it_admin_explorer(root: KeySpec) -> KeySpec {
    let documents = format!("{EXPLORER}\\RecentDocs");
    let inventory = "inventory-2025.txt";
    root.path(
        &format!("{EXPLORER}\\RunMRU"),
        at(IT_ADMIN_LOGON)
            .value(Value::sz("a", "services.msc\\1"))
            .value(Value::sz("b", "mmc\\1"))
            .value(Value::sz("MRUList", "ba")),
    )
    .path(&format!("{EXPLORER}\\TypedPaths"), at(ORDINARY).value(Value::sz("url1", SHARE_PATH)))
    .path(&documents, recent_documents(at(IT_ADMIN_LOGON), &[inventory], IT_ADMIN_LOGON))
    .path(&format!("{documents}\\.txt"), recent_documents(at(IT_ADMIN_LOGON), &[inventory], IT_ADMIN_LOGON))
    .path(&format!("{EXPLORER}\\ComDlg32\\OpenSavePidlMRU"), at(INSTALLED).value(recency(&[])))
    .path(
        &format!("{EXPLORER}\\MountPoints2\\{OLD_STICK_VOLUME}"),
        at(ORDINARY).value(Value::dword("Generation", 1)),
    )
    .path(
        &format!("Software\\Microsoft\\Terminal Server Client\\Servers\\{PRINT_HOST}"),
        at(ORDINARY).value(Value::sz("UsernameHint", "ALDERBROOK\\it-admin")),
    )
}

/// Builds what every user's hive contains.
pub(crate) fn user() -> KeySpec {
    KeySpec::new("ROOT")
        .path(
            "Control Panel\\Desktop",
            at(INSTALLED).value(Value::sz("Wallpaper", "C:\\Windows\\web\\wallpaper\\img0.jpg")),
        )
        .path(
            "Environment",
            at(INSTALLED).value(Value::expand_sz("TEMP", "%USERPROFILE%\\AppData\\Local\\Temp")),
        )
        .path(
            &format!("{EXPLORER}\\User Shell Folders"),
            at(INSTALLED).value(Value::expand_sz("Desktop", "%USERPROFILE%\\Desktop")),
        )
}

pub(crate) fn used(root: KeySpec, group: &str, programs: &[Used], time: Time) -> KeySpec {
    let group = format!("{EXPLORER}\\UserAssist\\{group}");
    let counts = programs.iter().fold(at(time), |key, program| key.value(program.value()));
    root.path(&group, at(INSTALLED).value(Value::dword("Version", 5)))
        .path(&format!("{group}\\Count"), counts)
}
