//! The filesystem agent's objectives that apply only to disk images. Each trial is an image, and all images
//! are evidence of one case.

use super::{meeting, shipped, shown};
use crate::support::Place;
use testkit::disk::{DiskSpec, Part};
use testkit::ewf::EwfSpec;
use testkit::ntfs::{Built, Content, Deleted, EntrySpec, FileTimes, NtfsTimes, VolumeSpec};

/// The images to test an objective with.
pub(super) struct ImageTrial {
    /// The objective's id within its agent.
    pub(super) objective: &'static str,
    /// An image that seems to answer the question and does not.
    tempting: fn() -> Vec<u8>,
    /// The minimal image that answers it.
    answering: fn() -> Vec<u8>,
}

pub(super) const TRIALS: &[ImageTrial] = &[
    ImageTrial { objective: "acquisition", tempting: hash_in_a_file, answering: expert_witness },
    ImageTrial { objective: "volumes", tempting: nothing_but_a_name, answering: plain_volume },
    ImageTrial { objective: "deleted-files", tempting: nothing_known_to_be_deleted, answering: deleted_file },
    ImageTrial { objective: "streams", tempting: streams_of_browsers, answering: hidden_stream },
    ImageTrial { objective: "timestamps", tempting: times_in_order, answering: older_than_its_name },
];

/// 2024-01-01 and 2019-03-01.
const NAMED: u64 = 133_485_780_301_234_567;
const EARLIER: u64 = 131_958_720_000_000_000;

fn volume(entries: Vec<EntrySpec>) -> Built {
    let spec = VolumeSpec::new("DATA").size(4 << 20);
    entries.into_iter().fold(spec, VolumeSpec::entry).build().unwrap()
}

fn disk(part: Part) -> Vec<u8> {
    DiskSpec::mbr(16_384).part(part).build().unwrap().bytes()
}

fn volume_on_disk(entries: Vec<EntrySpec>) -> Vec<u8> {
    disk(Part::volume(2048, &volume(entries)))
}

/// A volume with a file of Windows and a file of a user.
pub(super) fn windows_volume() -> Vec<u8> {
    volume_on_disk(vec![
        EntrySpec::file("Windows/System32/ntdll.dll", b"MZ"),
        EntrySpec::file("Users/mara/Documents/plan.txt", b"a plan"),
    ])
}

/// An image's hash in a file on the volume; the container itself stores none.
fn hash_in_a_file() -> Vec<u8> {
    volume_on_disk(vec![EntrySpec::file("case/disk.md5", b"d41d8cd98f00b204e9800998ecf8427e  disk.dd\n")])
}

fn expert_witness() -> Vec<u8> {
    let mut segments = EwfSpec::default().write(&volume_on_disk(Vec::new()));
    assert_eq!(segments.len(), 1);
    segments.remove(0)
}

/// A partition of type NTFS without a file system.
fn nothing_but_a_name() -> Vec<u8> {
    disk(Part::bytes(2048, b"NTFS, serial number 1C2D-3E4F").kind(0x07))
}

fn plain_volume() -> Vec<u8> {
    volume_on_disk(Vec::new())
}

/// Existing files with names like deleted ones, files in the Recycle Bin, a deleted file whose folder is unknown,
/// and deleted caches and temporary files.
fn nothing_known_to_be_deleted() -> Vec<u8> {
    volume_on_disk(vec![
        EntrySpec::file("$Deleted/39/plan.txt", b"in use"),
        EntrySpec::file("Users/mara/deleted.txt", b"in use"),
        EntrySpec::file("$Recycle.Bin/S-1-5-21-1/$RABCDEF.txt", b"in use"),
        EntrySpec::file("gone/orphan.txt", b"whose?").deleted(Deleted::Orphan { by: "newer.txt".to_owned() }),
        EntrySpec::file("newer.txt", b"in place of the folder"),
        EntrySpec::file("Users/mara/AppData/Local/Microsoft/Windows/INetCache/a.htm", b"cached")
            .deleted(Deleted::Recoverable),
        EntrySpec::file("Windows/Temp/update.log", b"log").deleted(Deleted::Recoverable),
    ])
}

fn deleted_file() -> Vec<u8> {
    volume_on_disk(vec![
        EntrySpec::file("Users/mara/Documents/plan.txt", b"thrown away").deleted(Deleted::Recoverable),
    ])
}

/// Streams that browsers and Windows create, and a file whose name only looks like a stream.
fn streams_of_browsers() -> Vec<u8> {
    let zone = b"[ZoneTransfer]\r\nZoneId=3\r\n";
    volume_on_disk(vec![
        EntrySpec::file("Users/mara/Downloads/a.pdf", b"%PDF").stream("Zone.Identifier", zone),
        EntrySpec::file("Users/mara/Downloads/b.exe", b"MZ")
            .stream("SmartScreen", b"Anaheim")
            .stream("Zone.Identifier", zone),
        EntrySpec::file("Users/mara/Favorites/c.url", b"[InternetShortcut]").stream("favicon", b"\0\0\x01\0"),
        EntrySpec::file("Users/mara/notes.txt_hidden.txt", b"no stream"),
    ])
}

fn hidden_stream() -> Vec<u8> {
    volume_on_disk(vec![
        EntrySpec::file("Users/mara/notes.txt", b"nothing to see").stream("payload.exe", b"MZ\x90"),
    ])
}

fn times(born: u64, name_born: u64) -> NtfsTimes {
    NtfsTimes {
        standard_information: FileTimes { born, ..FileTimes::all(NAMED) },
        file_name: FileTimes::all(name_born),
    }
}

/// Programs as old as their names or moved later, and a document older than its name.
fn times_in_order() -> Vec<u8> {
    volume_on_disk(vec![
        EntrySpec::file("Users/mara/equal.exe", b"MZ").times(times(NAMED, NAMED)),
        EntrySpec::file("Users/mara/moved.exe", b"MZ").times(times(NAMED, EARLIER)),
        EntrySpec::file("Users/mara/unpacked.docx", b"PK").times(times(EARLIER, NAMED)),
    ])
}

fn older_than_its_name() -> Vec<u8> {
    volume_on_disk(vec![
        EntrySpec::file("Users/mara/svchost.exe", b"MZ")
            .content(Content::Bytes(b"MZ and more".to_vec()))
            .times(times(EARLIER, NAMED)),
    ])
}

/// The answers to each objective: its id, the label of the image, and the stated values.
fn answers(images: fn(&ImageTrial) -> fn() -> Vec<u8>) -> Vec<(&'static str, String, String)> {
    let place = Place::new();
    let mut case = "title = \"images\"\n".to_owned();
    for trial in TRIALS {
        let name = trial.objective;
        place.file(&format!("case/{name}.img"), images(trial)());
        case.push_str(&format!(
            "[[evidence]]\npath = \"{name}.img\"\nkind = \"image\"\nlabel = \"{name}\"\n"
        ));
    }
    let case = place.file("case/case.toml", case);
    let (finished, run) = super::investigated(&place, &shipped("filesystem"), &case);
    TRIALS
        .iter()
        .flat_map(|trial| {
            let facts = meeting(&finished, &run, trial.objective);
            let told =
                |fact: &ledger::FactEntry| (trial.objective, fact.locator.evidence.clone(), shown(fact));
            facts.into_iter().map(told).collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn objectives_of_images_are_unmet_by_what_only_looks_like_an_answer() {
    let found = answers(|trial| trial.tempting);
    // Any volume that can be read answers the objective `volumes`; none of the other objectives may be answered.
    let wrong: Vec<_> =
        found.iter().filter(|(id, image, _)| *id != "volumes" || image == "volumes").collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn objectives_of_images_are_met_by_their_answers() {
    let found = answers(|trial| trial.answering);
    for trial in TRIALS {
        let own = found.iter().any(|(id, image, _)| *id == trial.objective && image == trial.objective);
        assert!(own, "{} is not met by its own image: {found:#?}", trial.objective);
    }
}

#[test]
fn a_run_without_an_image_is_not_asked_what_only_images_answer() {
    let place = Place::new();
    place.file("folder/Users/mara/notes.txt", "x");
    let agent = shipped("filesystem");
    let (finished, _) = super::investigated(&place, &agent, &place.path("folder"));
    let asked: Vec<_> = finished.tasks[0].1.objectives.iter().map(|result| result.id.as_str()).collect();
    let of_images: Vec<_> = TRIALS.iter().map(|trial| trial.objective).collect();
    assert!(asked.iter().all(|id| !of_images.contains(id)), "{asked:?}");
    assert_eq!(asked.len() + of_images.len(), agent.spec.objectives.len());
}
