//! Timelines: the order of time.

use crate::fixture::{Fixture, SOFTWARE, TICKS, fits, text, write};
use crate::timeline_rows::made_ready;
use evidence::{EvidencePath, Listing, Node, ReadAt, ReadError, Tree, open_directory};
use ledger::{Clock, Completeness, Outcome, Time};
use serde_json::{Value, json};
use testkit::hive::{HiveSpec, KeySpec};
use tools::{Prepared, Return, run_prepared};

const SECOND: u64 = 10_000_000;

/// A tree whose times were kept by the examined host, like those of an image; the number in a file's name dates its content.
pub(crate) struct Image(pub(crate) Box<dyn Tree>);

impl Image {
    fn dated(mut node: Node) -> Node {
        let seconds = node.name.trim_matches(|c: char| !c.is_ascii_digit()).parse::<u64>().ok();
        let time = |seconds: u64| {
            let time = Time::from_filetime(TICKS + seconds * SECOND);
            assert_eq!(time.clock, Clock::Host);
            Some(time)
        };
        node.times = evidence::MacbTimes::default();
        if let Some(seconds) = seconds {
            node.times.modified = time(seconds);
            node.times.born = time(seconds + 100);
        }
        node
    }
}

impl Tree for Image {
    fn label(&self) -> &str {
        self.0.label()
    }

    fn node(&self, path: &EvidencePath) -> Result<Option<Node>, ReadError> {
        Ok(self.0.node(path)?.map(Image::dated))
    }

    fn children(&self, directory: &Node) -> Result<Listing, ReadError> {
        let listing = self.0.children(directory)?;
        Ok(Listing { nodes: listing.nodes.into_iter().map(Image::dated).collect(), ..listing })
    }

    fn open(&self, node: &Node, stream: Option<&str>) -> Result<Box<dyn ReadAt>, ReadError> {
        self.0.open(node, stream)
    }
}

/// A tree, and its tables.
struct Asked {
    trees: Vec<Box<dyn Tree>>,
    prepared: Prepared,
    _folders: [tempfile::TempDir; 2],
}

/// Makes keys at the seconds 0 to 8 in two hives, and files at 1, 3 and 7.
fn image() -> Asked {
    let folder = tempfile::tempdir().unwrap();
    let at = |seconds: u64| TICKS + seconds * SECOND;
    let key = |name: &str, seconds| KeySpec::new(name).written(at(seconds));
    let one = KeySpec::new("r").written(at(8)).key(key("four", 4)).key(key("two", 2)).key(key("tie", 5));
    let two =
        KeySpec::new("r").written(at(0)).key(key("six", 6)).key(key("tie", 5)).key(KeySpec::new("never"));
    write(folder.path(), "hives/a", &HiveSpec::new(one).build().bytes);
    write(folder.path(), "hives/b", &HiveSpec::new(two).build().bytes);
    for name in ["files/f1", "files/f3", "files/f7"] {
        write(folder.path(), name, b"");
    }
    let tree = Image(Box::new(open_directory(folder.path(), "image").unwrap()));
    let trees: Vec<Box<dyn Tree>> = vec![Box::new(tree)];
    let tables = tempfile::tempdir().unwrap();
    let prepared = made_ready(&trees, tables.path());
    Asked { trees, prepared, _folders: [folder, tables] }
}

fn call(Asked { trees, prepared, .. }: &Asked, arguments: Value) -> Return {
    let scratch = tempfile::tempdir().unwrap();
    let run = |arguments: &Value| {
        let folder = scratch.path().join(std::fs::read_dir(scratch.path()).unwrap().count().to_string());
        std::fs::create_dir(&folder).unwrap();
        run_prepared("timeline", arguments, trees, prepared, &folder)
    };
    let returned = run(&arguments);
    assert_ne!(returned.outcome, Outcome::Failed, "{arguments}: {:?}", returned.notes);
    fits(&returned, "timeline");
    let again = run(&returned.normalised.clone().unwrap());
    assert_eq!((&again.records, &again.normalised), (&returned.records, &returned.normalised));
    returned
}

fn names(returned: &Return) -> String {
    let name = |record: &ledger::Record| match record.kind.as_str() {
        "registry_key" => format!("{}:{}", &text(record, "hive")[6..], text(record, "key_path")),
        _ => text(record, "name"),
    };
    returned.records.iter().map(name).collect::<Vec<_>>().join(" ")
}

#[test]
fn keys_and_files_come_in_the_order_of_time_and_then_of_place() {
    let image = image();
    let whole = call(&image, json!({}));
    assert_eq!(names(&whole), "b:\\ f1 a:two f3 a:four a:tie b:tie b:six f7 a:\\");
    assert_eq!(whole.completeness, Completeness::Complete);
    assert!(whole.notes.iter().any(|note| note == "10 records lie in the span in all"), "{:?}", whole.notes);
    assert!(
        whole.notes.iter().any(|note| note.starts_with("1 records have times that name no instant")),
        "{:?}",
        whole.notes
    );
    for (arguments, expected) in [
        (json!({ "source": "registry" }), "b:\\ a:two a:four a:tie b:tie b:six a:\\"),
        (json!({ "source": "File_System" }), "f1 f3 f7"),
        (json!({ "text": "TIE" }), "a:tie b:tie"),
        (json!({ "under": "files" }), "f1 f3 f7"),
        (json!({ "hive": "hives/b" }), "b:\\ b:tie b:six"),
        (json!({ "key": "tie" }), "a:tie b:tie"),
    ] {
        assert_eq!(names(&call(&image, arguments.clone())), expected, "{arguments}");
    }
}

#[test]
fn a_record_comes_at_its_earliest_time_within_the_span() {
    let image = image();
    let at = |seconds: u64| Time::from_filetime(TICKS + seconds * SECOND).to_text();
    let between = call(&image, json!({ "from": at(2), "to": at(5) }));
    assert_eq!(names(&between), "a:two f3 a:four a:tie b:tie");
    // The files were created (by their own times) a hundred seconds after they were written.
    let later = call(&image, json!({ "since": at(7) }));
    assert_eq!(names(&later), "f7 a:\\ f1 f3");
    assert_eq!(names(&call(&image, json!({ "from": at(300) }))), "");
}

#[test]
fn pages_join_to_the_whole() {
    let image = image();
    let whole = call(&image, json!({}));
    for limit in 1..=4 {
        let mut joined = Vec::new();
        for offset in (0..whole.records.len()).step_by(limit) {
            let page = call(&image, json!({ "limit": limit, "offset": offset }));
            let more = format!("\"offset\": {}", offset + limit);
            let last = offset + limit >= whole.records.len();
            assert_eq!(page.notes[0].contains(&more), !last, "{:?}", page.notes);
            assert_eq!(page.completeness, Completeness::Truncated);
            joined.extend(page.records);
        }
        assert_eq!(joined, whole.records);
    }
}

#[test]
fn times_of_a_copied_folder_are_given_only_when_asked_for() {
    let fixture = Fixture::new();
    let plain = fixture.ok("timeline", json!({ "source": "all" }));
    assert!(plain.records.iter().all(|record| record.kind == "registry_key"));
    assert!(plain.gaps.iter().any(|gap| gap.reason.contains("of a copied folder")), "{:?}", plain.gaps);
    assert_eq!(plain.completeness, Completeness::Truncated);
    let registry = fixture.ok("timeline", json!({ "source": "registry", "hive": crate::fixture::SYSTEM }));
    assert_eq!((registry.completeness, registry.gaps.len()), (Completeness::Complete, 0));
    let copied = fixture.ok("timeline", json!({ "source": "file_system", "copied_times": "true" }));
    let everything = fixture.ok("list_directory", json!({ "path": "", "recursive": true }));
    assert_eq!(copied.records.len(), everything.records.len());
    let dirty = fixture.ok("timeline", json!({ "hive": SOFTWARE }));
    assert!(dirty.gaps[0].reason.contains("dirty"), "{:?}", dirty.gaps);
}

#[test]
fn keys_given_as_folders_and_times_without_zones() {
    let fixture = Fixture::new();
    let returned = fixture.ok("timeline", json!({ "under": "HKLM\\SOFTWARE\\Microsoft\\Windows" }));
    assert!(returned.records.iter().all(|record| text(record, "key_path").starts_with("Microsoft\\Windows")));
    assert!(
        returned.notes.iter().any(|note| note.contains("\"under\" was read as \"key\"")),
        "{:?}",
        returned.notes
    );
    for (arguments, says) in [
        (json!({ "from": "2025-03-01" }), "such as 2025-03-01T00:00:00Z"),
        (json!({ "to": "2025-03-01T00:00:00" }), "has no zone"),
        (json!({ "from": "2025-03-02T00:00:00Z", "to": "2025-03-01T00:00:00Z" }), "no earlier than"),
        (json!({ "source": "file_system", "key": "x" }), "files have no"),
        (json!({ "hive": crate::fixture::SYSTEM, "under": "no/such" }), "under"),
        (json!({ "field": "born,modified" }), "(is \"born\" meant?); the fields are born, modified"),
        (json!({ "around": "2025-03-02T00:00:00Z", "to": "2025-03-01T00:00:00Z" }), "around"),
    ] {
        let returned = fixture.run("timeline", arguments.clone());
        assert_eq!(returned.outcome, Outcome::Failed, "{arguments}");
        assert!(returned.notes[0].contains(says), "{arguments}: {:?}", returned.notes);
    }
}
