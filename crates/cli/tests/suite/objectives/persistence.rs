//! The persistence agent: what starts automatically.

use super::hives::{key, ntuser, software, system, system_of_two};
use super::{Folder, Trial, investigated, meeting, shipped};
use crate::support::Place;
use testkit::hive::{KeySpec, ValueSpec as Value};
use testkit::wmi_repository::{instance, repository};

pub(super) const TRIALS: &[Trial] = &[
    Trial { objective: "autostart", tempting: nothing_in_run_keys, answering: run_value },
    Trial { objective: "debuggers", tempting: options_without_a_debugger, answering: debugger },
    Trial { objective: "logon-scripts", tempting: no_script_of_a_logon, answering: logon_script },
    Trial { objective: "startup", tempting: nothing_in_startup, answering: startup_item },
    Trial { objective: "services", tempting: services_that_wait, answering: automatic_service },
    Trial { objective: "tasks", tempting: tasks_without_commands, answering: task_with_a_command },
    Trial {
        objective: "subscriptions",
        tempting: subscription_of_windows,
        answering: subscription_of_somebody,
    },
];

const NT: &str = "Microsoft\\Windows NT\\CurrentVersion";
/// The digest of the class of bindings, as instances in the repository give it.
const BINDING: &str = "0A7ABE63F36E2B2920FEDAFAE849823AF9429CC0EA373FFEE1507EDB21FD9170";
const WINDOWS: &str = "Microsoft\\Windows\\CurrentVersion";

/// An empty Run value, a disabled entry, the default shell and logon programs, and keys with other names.
fn nothing_in_run_keys(at: &Folder<'_>) {
    let approved = key().value(Value::binary("Updater", &[3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
    let winlogon = key()
        .value(Value::sz("Shell", "explorer.exe"))
        .value(Value::sz("Userinit", "C:\\Windows\\system32\\userinit.exe,"));
    let machine = software([
        (&format!("{WINDOWS}\\Run"), key().value(Value::sz("Updater", ""))),
        (&format!("{WINDOWS}\\Explorer\\StartupApproved\\Run"), approved),
        (&format!("{NT}\\Winlogon"), winlogon),
        (
            &format!("{NT}\\Image File Execution Options\\sethc.exe"),
            key().value(Value::dword("GlobalFlag", 0)),
        ),
    ]);
    at.file("C/Windows/System32/config/SOFTWARE", machine);
    let typed = key().value(Value::sz("a", "cmd\\1")).value(Value::sz("MRUList", "a"));
    let user = ntuser([
        (&format!("Software\\{WINDOWS}\\Run"), key()),
        (&format!("Software\\{WINDOWS}\\Explorer\\RunMRU"), typed),
    ]);
    at.file("C/Users/mara/NTUSER.DAT", user);
}

fn run_value(at: &Folder<'_>) {
    let run = key().value(Value::sz("Updater", "C:\\ProgramData\\update.exe"));
    at.file("C/Users/mara/NTUSER.DAT", ntuser([(&format!("Software\\{WINDOWS}\\Run"), run)]));
}

fn options_of(value: Value) -> Vec<u8> {
    software([(&format!("{NT}\\Image File Execution Options\\sethc.exe"), key().value(value))])
}

/// Options that only enable logging, and an empty debugger.
fn options_without_a_debugger(at: &Folder<'_>) {
    at.file("C/Windows/System32/config/flag/SOFTWARE", options_of(Value::dword("GlobalFlag", 0x200)));
    at.file("C/Windows/System32/config/empty/SOFTWARE", options_of(Value::sz("Debugger", "")));
}

fn debugger(at: &Folder<'_>) {
    at.file(
        "C/Windows/System32/config/SOFTWARE",
        options_of(Value::sz("Debugger", "C:\\Windows\\System32\\cmd.exe")),
    );
}

/// An empty value, a value with another name, and a script file that nothing starts.
fn no_script_of_a_logon(at: &Folder<'_>) {
    let environment = key()
        .value(Value::sz("UserInitMprLogonScript", ""))
        .value(Value::sz("Path", "C:\\ProgramData\\logon.bat"));
    at.file("C/Users/mara/NTUSER.DAT", ntuser([("Environment", environment)]));
    at.file("C/Windows/System32/GroupPolicy/User/Scripts/Logon/logon.bat", "@echo off\r\n");
}

fn logon_script(at: &Folder<'_>) {
    let environment = key().value(Value::sz("UserInitMprLogonScript", "C:\\ProgramData\\logon.bat"));
    at.file("C/Users/mara/NTUSER.DAT", ntuser([("Environment", environment)]));
}

const MENU: &str = "C/ProgramData/Microsoft/Windows/Start Menu/Programs";

/// Disabled items, what Windows itself keeps in the folder, a file beside it, and a folder with that name elsewhere.
fn nothing_in_startup(at: &Folder<'_>) {
    let off = || key().value(Value::binary("Chat.lnk", &[3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
    let approved = format!("{WINDOWS}\\Explorer\\StartupApproved\\StartupFolder");
    at.file("C/Windows/System32/config/SOFTWARE", software([(&approved, off())]));
    at.file("C/Users/mara/NTUSER.DAT", ntuser([(&format!("Software\\{approved}"), off())]));
    at.file(&format!("{MENU}/StartUp/Chat.lnk"), "not a shortcut, but opened");
    at.file(
        "C/Users/mara/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup/chat.LNK",
        "not a shortcut, but opened",
    );
    at.file(&format!("{MENU}/StartUp/desktop.ini"), "[.ShellClassInfo]\r\n");
    at.file(&format!("{MENU}/Notes.bat"), "@echo off\r\n");
    at.file("C/Users/mara/Startup/tray.bat", "@echo off\r\n");
}

fn startup_item(at: &Folder<'_>) {
    at.file(&format!("{MENU}/StartUp/tray.bat"), "@echo off\r\n");
}

fn service(set: KeySpec, name: &str, start: u32, program: &str) -> KeySpec {
    let values = key().value(Value::dword("Start", start)).value(Value::dword("Type", 0x10));
    let values =
        if program.is_empty() { values } else { values.value(Value::expand_sz("ImagePath", program)) };
    set.path(&format!("Services\\{name}"), values)
}

/// Services that are started manually, disabled, part of Windows, or without a program, and one that is only
/// in the other control set.
fn services_that_wait(at: &Folder<'_>) {
    const PROGRAM: &str = "C:\\ProgramData\\update.exe";
    let current = service(key(), "Manual", 3, PROGRAM);
    let current = service(current, "ManualOfUser", 3, "C:\\Users\\mara\\update.exe");
    let current = service(current, "Disabled", 4, PROGRAM);
    let current = service(current, "Spooler", 2, "%SystemRoot%\\System32\\spoolsv.exe");
    let current = service(current, "luafv", 2, "system32\\drivers\\luafv.sys");
    let current = service(current, "Nameless", 2, "");
    let current = current.path("Services\\Settings", key().value(Value::sz("ImagePath", PROGRAM)));
    at.file(
        "C/Windows/System32/config/SYSTEM",
        system_of_two(current, service(key(), "Automatic", 2, PROGRAM)),
    );
}

fn automatic_service(at: &Folder<'_>) {
    at.file(
        "C/Windows/System32/config/SYSTEM",
        system(service(key(), "Updater", 2, "C:\\ProgramData\\update.exe")),
    );
}

fn task(action: &str) -> String {
    const NAMESPACE: &str = "http://schemas.microsoft.com/windows/2004/02/mit/task";
    format!("<Task xmlns=\"{NAMESPACE}\">\r\n  <Actions>\r\n    {action}\r\n  </Actions>\r\n</Task>\r\n")
}

/// Tasks that run no command, one of Windows itself, and some in folders that the scheduler does not read.
fn tasks_without_commands(at: &Folder<'_>) {
    const TASKS: &str = "C/Windows/System32/Tasks";
    const EXEC: &str = "<Exec><Command>C:\\ProgramData\\update.exe</Command></Exec>";
    let handler = "<ComHandler><ClassId>{0F87369F-A4E5-4CFC-BD3E-73E6154572DD}</ClassId></ComHandler>";
    at.file(&format!("{TASKS}/Handler"), task(handler));
    at.file(&format!("{TASKS}/Empty"), task("<Exec><Command></Command></Exec>"));
    let defrag = "<Exec><Command>%windir%\\system32\\defrag.exe</Command></Exec>";
    at.file(&format!("{TASKS}/Microsoft/Windows/Defrag/ScheduledDefrag"), task(defrag));
    at.file("C/Users/Public/Tasks/Update.xml", task(EXEC));
    at.file("D/Tasks/Update.xml", task(EXEC));
}

fn task_with_a_command(at: &Folder<'_>) {
    let exec = "<Exec><Command>C:\\ProgramData\\update.exe</Command></Exec>";
    at.file("C/Windows/System32/Tasks/Update", task(exec));
}

/// A binding of Windows itself, and a text file that mentions a binding.
fn subscription_of_windows(at: &Folder<'_>) {
    let own = instance(
        "__FilterToConsumerBinding",
        BINDING,
        &["NTEventLogEventConsumer.Name=\"SCM Event Log Consumer\""],
        None,
        &["__EventFilter.Name=\"SCM Event Log Filter\""],
    );
    let mut page = vec![0; 64];
    page.extend(own);
    page.resize(8192, 0);
    at.file("C/Windows/System32/wbem/Repository/OBJECTS.DATA", page);
    at.file("C/Users/mara/notes.txt", "__FilterToConsumerBinding CommandLineEventConsumer.Name=\"Sync\"\r\n");
}

fn subscription_of_somebody(at: &Folder<'_>) {
    at.file("C/Windows/System32/wbem/Repository/OBJECTS.DATA", repository());
}

/// Intruders hide among the tasks of Windows, and evidence can be in a folder with any name.
#[test]
fn a_task_among_those_of_windows_that_starts_a_program_of_a_user_is_told() {
    let place = Place::new();
    let exec = "<Exec><Command>C:\\ProgramData\\update.exe</Command></Exec>";
    for folder in ["evidence", "evidence/Tasks"] {
        let path = format!("{folder}/C/Windows/System32/Tasks/Microsoft/Windows/Defrag/ScheduledDefrag");
        place.file(&path, task(exec));
    }
    let (finished, run) = investigated(&place, &shipped("persistence"), &place.path("evidence"));
    assert_eq!(meeting(&finished, &run, "tasks").len(), 2);
}
