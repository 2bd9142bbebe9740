//! The Windows Timeline database, with the columns that Windows 10 1803 and later have in common.

use crate::demo::sqlite;
use rusqlite::{Connection, params};

const TABLES: &str = "
    CREATE TABLE [Activity]([Id] GUID PRIMARY KEY NOT NULL, [AppId] TEXT NOT NULL, [ActivityType] INT NOT NULL,
        [ParentActivityId] GUID, [Group] TEXT, [LastModifiedTime] DATETIME NOT NULL, [ExpirationTime] DATETIME,
        [Payload] BLOB, [PlatformDeviceId] TEXT, [StartTime] DATETIME, [EndTime] DATETIME,
        [LastModifiedOnClient] DATETIME, [ClipboardPayload] BLOB);
    CREATE TABLE [ActivityOperation]([OperationOrder] INTEGER PRIMARY KEY ASC NOT NULL, [Id] GUID NOT NULL,
        [OperationType] INT NOT NULL, [AppId] TEXT NOT NULL, [ActivityType] INT NOT NULL,
        [LastModifiedTime] DATETIME NOT NULL, [Payload] BLOB, [StartTime] DATETIME NOT NULL);
    CREATE TABLE [Activity_PackageId]([ActivityId] GUID NOT NULL, [Platform] TEXT NOT NULL COLLATE NOCASE,
        [PackageName] TEXT NOT NULL COLLATE NOCASE, [ExpirationTime] DATETIME NOT NULL);
";

const EDITOR: &str = r#"[{"application":"{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\notepad.exe","platform":"windows_win32"},{"application":"","platform":"alternateId"}]"#;
const OPENED: &str = r#"{"displayText":"plan.txt","appDisplayName":"Notepad","contentUri":"file:///C:/Users/ann/plan.txt","description":"C:\\Users\\ann\\plan.txt"}"#;
const USED: &str = r#"{"type":"UserEngaged","activeDurationSeconds":42,"userTimezone":"Europe/Paris"}"#;
const SETTING: &str = r#"[{"application":"Microsoft.Default.Input","platform":"data_boundary"}]"#;

/// Builds a database with an opened document, a program in use, a setting, a pending change, and application names; `unix` is the start time.
pub fn database(unix: i64) -> rusqlite::Result<Vec<u8>> {
    sqlite::plain(|database| fill(database, unix))
}

fn fill(database: &Connection, unix: i64) -> rusqlite::Result<()> {
    database.execute_batch(TABLES)?;
    let rows: [(u8, &str, i64, &str, i64, i64); 3] = [
        (1, EDITOR, 5, OPENED, unix, 0),
        (2, EDITOR, 6, USED, unix, unix + 60),
        (3, SETTING, 11, "Q0IBAAIBAA==", unix + 5, 0),
    ];
    for (id, application, kind, payload, started, ended) in rows {
        database.execute(
            "INSERT INTO Activity VALUES (?, ?, ?, ?, NULL, ?, ?, ?, 'device', ?, ?, ?, NULL)",
            params![
                [id; 16],
                application,
                kind,
                [0_u8; 16],
                started + 1,
                started + 2_592_000,
                payload.as_bytes(),
                started,
                ended,
                started + 1
            ],
        )?;
    }
    database.execute(
        "INSERT INTO ActivityOperation VALUES (1, ?, 1, ?, 5, ?, ?, ?)",
        params![[1_u8; 16], EDITOR, unix, OPENED.as_bytes(), unix],
    )?;
    for (platform, package) in [("windows_win32", "notepad.exe"), ("host", "")] {
        database.execute(
            "INSERT INTO Activity_PackageId VALUES (?, ?, ?, ?)",
            params![[1_u8; 16], platform, package, unix + 2_592_000],
        )?;
    }
    Ok(())
}
