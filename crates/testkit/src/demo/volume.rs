//! Drive C as an NTFS volume: the files with their times, deleted entries, and named streams.

use super::DemoFile;
use super::clock::Time;
use super::parts::{collected, lines};
use super::story::*;
use crate::ntfs::{Content, Deleted, EntrySpec, FileTimes, NtfsTimes, VolumeSpec};

/// The volume's folder in the file tree of the image.
const FOLDER: &str = "p1/";

/// Builds the volume with these files.
pub(crate) fn volume(files: &[DemoFile]) -> VolumeSpec {
    let mut spec = VolumeSpec::new(VOLUME_LABEL).size(DISK - 2 * PARTITION).cluster(CLUSTER);
    spec.serial = VOLUME_SERIAL;
    spec.time = INSTALLED.filetime();
    spec.hidden_sectors = (PARTITION / 512) as u32;
    let files = files.iter().map(|file| {
        let path = file.path.strip_prefix(FOLDER).unwrap_or(&file.path);
        streams(EntrySpec::file(path, &file.bytes).times(times(&file.path)), &file.path)
    });
    deleted().into_iter().chain(files).fold(spec, VolumeSpec::entry)
}

/// Returns the path of a file on drive C within the volume.
fn inside(path: &str) -> String {
    collected(path).replacen(FOLDER, "", 1)
}

/// Adds the marks that browsers put on downloads, and the stream with the relay.
fn streams(entry: EntrySpec, path: &str) -> EntrySpec {
    let is = |file: &str| path == collected(file);
    if is(INSTALLER) {
        entry.stream("Zone.Identifier", &zone(PAGE, INSTALLER_URL))
    } else if is(FORM) {
        entry.stream("Zone.Identifier", &zone("https://tax-office.example/", FORM_URL))
    } else if is(LOG) {
        entry.stream(RELAY_STREAM, &lines(&[RELAY]))
    } else {
        entry
    }
}

fn zone(referrer: &str, host: &str) -> Vec<u8> {
    lines(&["[ZoneTransfer]", "ZoneId=3", &format!("ReferrerUrl={referrer}"), &format!("HostUrl={host}")])
}

/// Builds deleted entries: the installer's script, what it unpacked, and a letter from spring.
fn deleted() -> Vec<EntrySpec> {
    let script = lines(&[
        SCRIPT_LINE,
        &format!("schtasks /create /tn \"{TASK}\" /tr \"{PROGRAM} {TASK_ARGUMENTS}\" /sc onlogon"),
    ]);
    let unpacked: Vec<u8> = (0..3 * CLUSTER).map(|at| (at * 7 % 251) as u8).collect();
    vec![
        EntrySpec::file(&inside(SCRIPT), &script)
            .times(made(STARTED.plus(20), STARTED.plus(20)))
            .deleted(Deleted::Recoverable),
        EntrySpec::file(&inside(UNPACKED), &[])
            .content(Content::Clusters(unpacked))
            .times(made(STARTED.plus(6), STARTED.plus(9)))
            .deleted(Deleted::Overwritten { by: inside(&format!("{LEDGER_FOLDER}\\2025-q3.csv")) }),
        EntrySpec::file(&inside(LETTER), &lines(&["Dear Mr. Brandt,", "I give notice to the end of June."]))
            .times(made(LETTER_WRITTEN, LETTER_WRITTEN.plus(904)))
            .deleted(Deleted::Orphan { by: inside("C:\\Users\\mara\\Documents\\handover.txt") }),
    ]
}

/// Returns all eight times of a file.
fn times(path: &str) -> NtfsTimes {
    let is = |file: &str| path == collected(file);
    if is(PROGRAM) {
        return forged();
    }
    let (born, modified) = match path {
        _ if is(INSTALLER) => (DOWNLOAD_BEGUN, DOWNLOADED),
        _ if is(FORM) => (FORM_DOWNLOADED, FORM_DOWNLOADED),
        _ if is(LOG) => (STARTED, TASK_MADE.plus(2)),
        _ if is(ARCHIVE_LIST) => (STAGED, STAGED),
        _ if is(STARTUP_SCRIPT) => (PLANTED.plus(33), PLANTED.plus(33)),
        _ if path.ends_with("drivers/etc/hosts") => (INSTALLED, HOSTS_CHANGED),
        _ if path.ends_with(TASK) => (TASK_MADE, TASK_MADE),
        _ if path.contains(ARCHIVE_BIN) => (STAGED, ARCHIVE_DELETED),
        _ if path.contains(LUNCH_BIN) => (ORDINARY, LUNCH_DELETED),
        _ if path.ends_with("handover.txt") => (MORNING, MORNING.plus(1_800)),
        _ if path.contains("/Users/mara/") => (ORDINARY, STAGED),
        _ if path.contains("/Users/it-admin/") => (ORDINARY, IT_ADMIN_LOGON),
        _ if path.contains("/config/") => (INSTALLED, SHUTDOWN),
        _ => (INSTALLED, ORDINARY),
    };
    made(born, modified)
}

/// Returns the times of a file that was created and last written at these times.
fn made(born: Time, modified: Time) -> NtfsTimes {
    let [born, modified] = [born, modified].map(Time::filetime);
    let standard = FileTimes { born, modified, changed: modified, accessed: modified };
    NtfsTimes { standard_information: standard, file_name: FileTimes::all(born) }
}

/// Returns the forged times: `$STANDARD_INFORMATION` has what a program set; `$FILE_NAME` and the record change time show when the
/// file was created.
fn forged() -> NtfsTimes {
    let [forged, made] = [PROGRAM_FORGED, PROGRAM_MADE].map(Time::filetime);
    let standard = FileTimes { born: forged, modified: forged, changed: made + 31_007, accessed: made };
    NtfsTimes { standard_information: standard, file_name: FileTimes::all(made) }
}
