//! Windows Timeline (`ActivitiesCache.db`): activities of each account, kept by the Connected Devices Platform of Windows 10 and later.
//!
//! Times are seconds since 1970-01-01 UTC; 0 is no time. GUIDs are bytes as Windows stores them.
//! Sources: the tables of the database itself; Microsoft, "UserActivity" and [MS-CDP].
//! For the numbers of types: Eric Zimmerman, WxTCmd, and kacos2000, "WindowsTimeline"; only types that both agree on are named.

mod app_id;
mod payload;

use super::chromium_history::{begun, number, text};
use super::sqlite::{self, Cell, DbRow, Opened, Stated, seconds};
use super::{Decoder, Head, Source};
use crate::intake::Flow;
use crate::row::Row;
use crate::spec;
use app_id::AppId;
use ledger::FieldType::{Guid, Integer, List, Name, Path, Text, Time};
use ledger::{FieldType, FieldValue, RecordType};
use payload::Payload;
use std::ops::ControlFlow;

const ACTIVITY: &str = "activity";
const OPERATION: &str = "activity_operation";
const PACKAGE: &str = "activity_package";

/// The name of the file.
const FILE: &str = "ActivitiesCache.db";

pub(crate) const DECODER: Decoder = Decoder {
    name: "windows_timeline",
    about: "Windows Timeline (ActivitiesCache.db): which applications an account used, when, for how long, with which document or page",
    names: &[FILE],
    common_names: &[],
    fits: |head: &Head<'_>| head.name.eq_ignore_ascii_case(FILE) && sqlite::is_database(head.bytes),
    records,
    read: |source| sqlite::with(source, entries),
};

type Field<'a> = (&'a str, &'a [FieldType], &'a str);

/// The fields of every record of the database.
const COMMON: [Field<'_>; 3] = [
    ("row", &[Path], "path of the database in the evidence, the table and the number of the row"),
    ("user", &[Name], "folder of the user that the database stands in, where it stands in one"),
    (
        "state",
        &[Name],
        "wal where only that log has the row like this; checkpointed where only the file alone has it; left out where both have",
    ),
];

/// The fields of activities and of operations on them.
const SHARED: [Field<'_>; 20] = [
    (
        "application",
        &[Path, Name],
        "path of the program or the name of its package, as AppId spells it: a known folder is its GUID",
    ),
    ("identities", &[List], "every name of the application in AppId, behind the platform that it is of"),
    ("display_text", &[Text], "displayText of the payload: name of the document, page or program"),
    ("content", &[Text], "contentUri of the payload: address of the document or page; else its description"),
    ("description", &[Text], "description of the payload, where it has an address, too"),
    ("application_name", &[Text], "appDisplayName of the payload"),
    ("activity_type", &[Integer], "ActivityType"),
    ("activity", &[Name], "what that number stands for: opened, in_use, clipboard or copy_paste"),
    ("started", &[Time], "StartTime"),
    ("ended", &[Time], "EndTime"),
    (
        "active_seconds",
        &[Integer],
        "activeDurationSeconds of the payload: how long the user was active in it",
    ),
    ("last_modified", &[Time], "LastModifiedTime: when the row was last changed"),
    ("modified_on_client", &[Time], "LastModifiedOnClient, where it is another time"),
    ("expires", &[Time], "ExpirationTime: when the row is to be removed"),
    ("group", &[Name], "Group; of type 16 Copy or Paste"),
    ("clipboard", &[Text], "ClipboardPayload as it stands"),
    ("time_zone", &[Name], "userTimezone of the payload"),
    ("device", &[Text], "PlatformDeviceId: the device that it happened on, which need not be this one"),
    ("id", &[Guid], "Id of the activity"),
    ("parent", &[Guid], "ParentActivityId"),
];

/// The columns of both tables, in the order in which [`fields`] reads them.
const COLUMNS: [&str; 14] = [
    "AppId",
    "Payload",
    "ActivityType",
    "StartTime",
    "EndTime",
    "LastModifiedTime",
    "LastModifiedOnClient",
    "ExpirationTime",
    "Group",
    "ClipboardPayload",
    "PlatformDeviceId",
    "Id",
    "ParentActivityId",
    "OperationType",
];

fn records() -> Vec<RecordType> {
    let shared = |own: &[Field<'static>]| -> Vec<Field<'static>> {
        SHARED.iter().chain(own).chain(&COMMON).copied().collect()
    };
    let activity = spec::record(
        ACTIVITY,
        "a row of the table Activity: the system kept that an application was opened or in use, or a setting or a clipboard; not that a user read what was shown, nor that it happened on this device",
        "application",
        &shared(&[]),
    );
    let operation = spec::record(
        OPERATION,
        "a row of the table ActivityOperation: a change of an activity that waits to be sent to other devices of the account",
        "application",
        &shared(&[("operation_type", &[Integer], "OperationType")]),
    );
    let own: [Field<'_>; 4] = [
        (
            "package",
            &[Path, Name],
            "PackageName, which stands in lower case; no PackageName where it is empty",
        ),
        ("platform", &[Name], "Platform: the kind of that name"),
        ("activity_id", &[Guid], "Id of the activity"),
        // Not a time: as the record's only time it would date the record, years ahead.
        ("expires_unix", &[Integer], "ExpirationTime: seconds since 1970-01-01 UTC"),
    ];
    let own: Vec<_> = own.iter().chain(&COMMON).copied().collect();
    let package = spec::record(
        PACKAGE,
        "a row of the table Activity_PackageId: one name of the application of an activity, the row of which may be gone",
        "package",
        &own,
    );
    vec![activity, operation, package]
}

fn entries(source: &mut Source<'_, '_>, opened: &Opened) -> Flow {
    for stated in opened.rows(source, "Activity", &COLUMNS) {
        let row = fields(source, begun(source, ACTIVITY, "Activity", &stated), &stated.row);
        source.push(row)?;
    }
    for stated in opened.rows(source, "ActivityOperation", &COLUMNS) {
        let row = fields(source, begun(source, OPERATION, "ActivityOperation", &stated), &stated.row).maybe(
            "operation_type",
            number(stated.row.integer(13)),
            None,
        );
        source.push(row)?;
    }
    let columns = ["ActivityId", "Platform", "PackageName", "ExpirationTime"];
    for stated in opened.rows(source, "Activity_PackageId", &columns) {
        let row = package(source, &stated);
        source.push(row)?;
    }
    ControlFlow::Continue(())
}

fn package(source: &Source<'_, '_>, stated: &Stated) -> Row {
    let row = &stated.row;
    begun(source, PACKAGE, "Activity_PackageId", stated)
        .field("package", row.text(2).map_or_else(|| name("no PackageName"), app_id::spelled))
        .maybe("platform", row.text(1).map(name), None)
        .maybe("activity_id", guid(row, 0), None)
        .maybe("expires_unix", number(row.integer(3)), None)
}

/// Adds the fields of a row with [`COLUMNS`].
fn fields(source: &Source<'_, '_>, begun: Row, row: &DbRow) -> Row {
    let app_id = AppId::read(row.text(0));
    let payload = Payload::read(row.cells.get(1));
    let kind = row.integer(2);
    let client = row.integer(6).filter(|time| row.integer(5) != Some(*time));
    let what = |what: &str| source.defect(None, format!("row {}: {what}", row.rowid));
    let defects = [
        (!app_id.is_read).then(|| what("expected a list of applications in AppId, found something else")),
        (!payload.is_read).then(|| what("expected an object of JSON in Payload, found something else")),
    ];
    begun
        .field("application", app_id.application)
        .maybe(
            "identities",
            Some(app_id.identities).filter(|all| !all.is_empty()).map(FieldValue::List),
            None,
        )
        .maybe("display_text", payload.display_text.as_deref().map(text), None)
        .maybe("content", payload.content.as_deref().map(text), None)
        .maybe("description", payload.description.as_deref().map(text), None)
        .maybe("application_name", payload.application_name.as_deref().map(text), None)
        .maybe("active_seconds", number(payload.active_seconds), None)
        .maybe("time_zone", payload.time_zone.as_deref().map(name), None)
        .maybe("activity_type", number(kind), None)
        .maybe("activity", kind.and_then(activity).map(name), None)
        .maybe("started", seconds(row.integer(3)), None)
        .maybe("ended", seconds(row.integer(4)), None)
        .maybe("last_modified", seconds(row.integer(5)), None)
        .maybe("modified_on_client", seconds(client), None)
        .maybe("expires", seconds(row.integer(7)), None)
        .maybe("group", row.text(8).map(name), None)
        .maybe("clipboard", row.cells.get(9).and_then(payload::plain).as_deref().map(text), None)
        .maybe("device", row.text(10).map(text), None)
        .maybe("id", guid(row, 11), None)
        .maybe("parent", guid(row, 12), None)
        .defects(defects.into_iter().flatten().collect())
}

fn name(name: &str) -> FieldValue {
    FieldValue::Name(name.to_owned())
}

/// Names the types on which the sources agree.
fn activity(number: i64) -> Option<&'static str> {
    match number {
        5 => Some("opened"),
        6 => Some("in_use"),
        10 => Some("clipboard"),
        16 => Some("copy_paste"),
        _ => None,
    }
}

/// Reads a GUID of sixteen bytes ([MS-DTYP] 2.3.4.2); all zeros is none.
fn guid(row: &DbRow, column: usize) -> Option<FieldValue> {
    let Cell::Blob(bytes) = row.cells.get(column)? else { return None };
    let [a, b, c, d, e, f, g, h, i, j, node @ ..] = <&[u8; 16]>::try_from(bytes.as_slice()).ok()?;
    if bytes.iter().all(|byte| *byte == 0) {
        return None;
    }
    let first = u32::from_le_bytes([*a, *b, *c, *d]);
    let (second, third) = (u16::from_le_bytes([*e, *f]), u16::from_le_bytes([*g, *h]));
    let node: String = node.iter().map(|byte| format!("{byte:02X}")).collect();
    Some(FieldValue::Guid(format!("{{{first:08X}-{second:04X}-{third:04X}-{i:02X}{j:02X}-{node}}}")))
}
