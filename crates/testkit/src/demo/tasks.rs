//! Scheduled tasks: XML in UTF-16LE, as the task scheduler writes it.

use super::DemoFile;
use super::clock::Time;
use super::parts::utf16;
use super::story::*;

struct Task {
    name: &'static str,
    author: String,
    made: Time,
    trigger: String,
    /// The SID or account that runs it.
    principal: &'static str,
    command: &'static str,
    arguments: &'static str,
}

/// Builds the files of all tasks.
pub(crate) fn files() -> Vec<DemoFile> {
    let daily = |time: Time| {
        format!(
            "<CalendarTrigger><StartBoundary>{}</StartBoundary><Enabled>true</Enabled>\
            <ScheduleByDay><DaysInterval>1</DaysInterval></ScheduleByDay></CalendarTrigger>",
            time.local(SUMMER)
        )
    };
    let tasks = [
        Task {
            name: BACKUP_TASK,
            author: format!("{HOST}\\{IT_ADMIN}"),
            made: ORDINARY,
            trigger: daily(ORDINARY),
            principal: "S-1-5-18",
            command: BACKUP_PROGRAM,
            arguments: "/target D:\\Backup",
        },
        Task {
            name: "Printworks Update",
            author: "Printworks".to_owned(),
            made: INSTALLED,
            trigger: daily(INSTALLED),
            principal: "S-1-5-18",
            command: "C:\\Program Files\\Printworks\\pwupdate.exe",
            arguments: "/silent",
        },
        Task {
            name: TASK,
            author: format!("{HOST}\\{MARA}"),
            made: TASK_MADE,
            trigger: "<LogonTrigger><Enabled>true</Enabled></LogonTrigger>".to_owned(),
            principal: "S-1-5-18",
            command: PROGRAM,
            arguments: TASK_ARGUMENTS,
        },
    ];
    tasks.iter().map(|task| DemoFile::new(&path(task.name), document(task))).collect()
}

/// Returns the path of a scheduled task's file.
pub(crate) fn path(name: &str) -> String {
    format!("p1/Windows/System32/Tasks/{name}")
}

fn document(task: &Task) -> Vec<u8> {
    let Task { name, author, made, trigger, principal, command, arguments } = task;
    let text = [
        "<?xml version=\"1.0\" encoding=\"UTF-16\"?>".to_owned(),
        "<Task version=\"1.2\" xmlns=\"http://schemas.microsoft.com/windows/2004/02/mit/task\">".to_owned(),
        "  <RegistrationInfo>".to_owned(),
        format!("    <Date>{}</Date>", made.local(SUMMER)),
        format!("    <Author>{author}</Author>"),
        format!("    <URI>\\{name}</URI>"),
        "  </RegistrationInfo>".to_owned(),
        format!("  <Triggers>{trigger}</Triggers>"),
        "  <Principals>".to_owned(),
        format!(
            "    <Principal id=\"Author\"><UserId>{principal}</UserId><RunLevel>HighestAvailable</RunLevel></Principal>"
        ),
        "  </Principals>".to_owned(),
        "  <Settings><Enabled>true</Enabled><Hidden>false</Hidden></Settings>".to_owned(),
        "  <Actions Context=\"Author\">".to_owned(),
        format!("    <Exec><Command>{command}</Command><Arguments>{arguments}</Arguments></Exec>"),
        "  </Actions>".to_owned(),
        "</Task>".to_owned(),
    ];
    utf16(&format!("\u{feff}{}", text.join("\r\n")))
}
