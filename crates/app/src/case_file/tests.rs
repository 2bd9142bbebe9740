//! Valid case files, and the errors of invalid ones.
#![expect(clippy::disallowed_methods, reason = "tests write their own case files")]

use super::*;

fn case_with(text: &str) -> Result<Case, CaseError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("evidence")).unwrap();
    std::fs::write(folder.path().join("case.toml"), text).unwrap();
    load_case(folder.path())
}

#[test]
fn a_case_file_names_its_evidence() {
    let case = case_with("title = \"T\"\n[[evidence]]\npath = \"evidence\"\nkind = \"directory\"\n").unwrap();
    assert_eq!((case.entry.title.as_str(), case.entry.evidence[0].label.as_str()), ("T", "evidence"));
}

#[test]
fn an_image_is_known_by_its_content_and_anything_else_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (image, text) = (folder.path().join("disk.bin"), folder.path().join("disk.dd"));
    let mut sector = vec![0; 512];
    sector[510..].copy_from_slice(&[0x55, 0xaa]);
    std::fs::write(&image, sector).unwrap();
    std::fs::write(&text, "no disk").unwrap();
    let case = load_case(&image).unwrap();
    assert_eq!(case.entry.evidence[0].kind, EvidenceKind::Image);
    assert!(matches!(load_case(&text), Err(CaseError::NoEvidence { .. })));
    let file = folder.path().join("case.toml");
    let named = |name: &str, kind: &str| {
        let text = format!("title = \"T\"\n[[evidence]]\npath = \"{name}\"\nkind = \"{kind}\"\n");
        std::fs::write(&file, text).unwrap();
        load_case(folder.path())
    };
    assert_eq!(named("disk.bin", "image").unwrap().entry.evidence[0].kind, EvidenceKind::Image);
    for (name, kind) in [("disk.dd", "image"), ("disk.bin", "directory"), (".", "image")] {
        assert!(matches!(named(name, kind), Err(CaseError::Content { .. })), "{name} {kind}");
    }
    let new = crate::new_case(&[image], Some(&folder.path().join("new"))).unwrap();
    assert_eq!(new.case.entry.evidence[0].kind, EvidenceKind::Image);
    let written = crate::write_case(&new).unwrap();
    assert_eq!(load_case(&written).unwrap().entry, new.case.entry);
}

#[test]
fn an_archive_is_known_by_its_content() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("triage.dat");
    // An end of central directory record without entries.
    let empty = [&b"PK\x05\x06"[..], &[0; 18]].concat();
    std::fs::write(&archive, empty).unwrap();
    let kind = |path: &Path| load_case(path).unwrap().entry.evidence[0].kind;
    assert_eq!(kind(&archive), EvidenceKind::Archive);
    let file = folder.path().join("case.toml");
    let named = |kind: &str| {
        let text = format!("title = \"T\"\n[[evidence]]\npath = \"triage.dat\"\nkind = \"{kind}\"\n");
        std::fs::write(&file, text).unwrap();
        load_case(folder.path())
    };
    assert!(matches!(named("image"), Err(CaseError::Content { .. })));
    assert_eq!(named("archive").unwrap().entry.evidence[0].kind, EvidenceKind::Archive);
    let new = crate::new_case(&[archive], Some(&folder.path().join("new"))).unwrap();
    let written = crate::write_case(&new).unwrap();
    assert_eq!(kind(&written), EvidenceKind::Archive);
}

#[test]
fn a_folder_of_nothing_but_images_is_told_from_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let mut segment = b"EVF\x09\x0d\x0a\xff\x00".to_vec();
    segment.resize(512, 0);
    for name in ["disk.E01", "disk.E02"] {
        std::fs::write(folder.path().join(name), &segment).unwrap();
    }
    std::fs::write(folder.path().join("disk.E01.txt"), "acquired").unwrap();
    let error = load_case(folder.path()).unwrap_err();
    let CaseError::OnlyContainers { first, .. } = &error else { panic!("{error}") };
    assert!(first.ends_with("disk.E01"), "{error}");
    // A compressed text may be an exported log, and so may a large one.
    std::fs::write(folder.path().join("log.json.gz"), [0x1F, 0x8B, 8, 0]).unwrap();
    assert!(load_case(folder.path()).is_ok());
    std::fs::remove_file(folder.path().join("log.json.gz")).unwrap();
    std::fs::write(folder.path().join("log.json"), vec![b' '; 100_000]).unwrap();
    assert!(load_case(folder.path()).is_ok());
    std::fs::remove_file(folder.path().join("log.json")).unwrap();
    assert!(load_case(folder.path()).is_err());
    // A hive next to them is evidence.
    std::fs::write(folder.path().join("SYSTEM"), "regf").unwrap();
    assert!(load_case(folder.path()).is_ok());
}

#[test]
fn an_error_in_a_case_file_points_at_its_line() {
    let error = case_with("title = \"T\"\n[[evidence]]\npath = \"evidence\"\nkind = \"disc\"\n").unwrap_err();
    let CaseError::Malformed { source, .. } = error else { panic!("{error}") };
    assert!(source.to_string().contains("line 4"), "{source}");
}

/// Returns the error of a case file in one line.
fn told(text: &str) -> String {
    let error = case_with(text).unwrap_err();
    let source = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
    format!("{error} {}", source.replace('\n', " "))
}

#[test]
fn every_error_names_file_line_what_was_expected_and_what_was_found() {
    let case = |more: &str| {
        format!("title = \"T\"\n[[evidence]]\npath = \"evidence\"\nkind = \"directory\"\n{more}")
    };
    let zone = |zone: &str| {
        format!(
            "title = \"T\"\ntime_zone = \"{zone}\"\n[[evidence]]\npath = \"evidence\"\nkind = \"directory\"\n"
        )
    };
    for (text, line, expected) in [
        ("title = 7\n".to_owned(), 1, "invalid type: integer `7`, expected a string"),
        ("title = \"T\n".to_owned(), 1, "TOML parse error"),
        ("title = \"T\"\n".to_owned(), 1, "missing field `evidence`"),
        ("title = \"T\"\nevidence = []\n".to_owned(), 2, "expected at least one [[evidence]], found none"),
        (
            case("\n").replace("\"T\"", "\" \""),
            1,
            "expected a title with text in it and without control characters, found \" \"",
        ),
        (zone("Europe/Berlim"), 2, "expected a time zone such as \"Europe/Berlin\", found \"Europe/Berlim\""),
        (zone("W. Europe Standard Time"), 2, "expected a time zone"),
        (
            case("label = \"a\\u0007\"\n"),
            5,
            "expected a label with text in it and without control characters, found",
        ),
        (
            case("lable = \"a\"\n"),
            5,
            "unknown field `lable`, expected one of `path`, `label`, `kind`, `sha256`",
        ),
        (case("sha256 = \"abc\"\n"), 5, "expected 64 hex digits, found \"abc\""),
        (
            case("").replace("directory", "disc"),
            4,
            "unknown variant `disc`, expected one of `directory`, `archive`, `image`",
        ),
        (case("").replace("\"evidence\"", "\"case.toml\""), 3, "expected the path of a folder, found"),
        (case("").replace("\"evidence\"", "\"gone\""), 3, "open the evidence"),
        (case("").replace("\"evidence\"", "\"/\""), 3, "lies outside this folder"),
        (case("[[evidence]]\npath = \"evidence\"\nkind = \"directory\"\n"), 6, "lies inside the evidence"),
        (
            case(
                "[[objectives]]\nagent = \"registry\"\n[objectives.objective]\nid = \"x\"\nquestion = \"?\"\n[objectives.objective.condition]\npredicate = \"configured\"\nrecord = \"registry_value\"\nsubjekt = \"*\"\nfield = \"data\"\n",
            ),
            13,
            "unknown field `subjekt`",
        ),
    ] {
        let told = told(&text);
        assert!(
            told.contains("case.toml") && told.contains(&format!("line {line}")),
            "line {line} of {text}: {told}"
        );
        assert!(told.contains(expected), "{expected}: {told}");
    }
}

#[test]
fn two_pieces_of_evidence_have_two_labels() {
    let folder = tempfile::tempdir().unwrap();
    for host in ["one/evidence", "two/evidence"] {
        std::fs::create_dir_all(folder.path().join(host)).unwrap();
    }
    let evidence = |host: &str, label: &str| {
        format!("[[evidence]]\npath = \"{host}/evidence\"\nkind = \"directory\"\n{label}")
    };
    for (label, line) in [("", 6), ("label = \"evidence\"\n", 8)] {
        let text = format!("title = \"T\"\n{}{}", evidence("one", ""), evidence("two", label));
        std::fs::write(folder.path().join("case.toml"), text).unwrap();
        let told = load_case(folder.path()).unwrap_err().to_string();
        let expected = format!(
            "line {line}: expected a label of its own for each piece of evidence, found \"evidence\" again"
        );
        assert!(told.contains(&expected), "{told}");
    }
}

#[test]
fn a_time_zone_is_one_of_the_iana_database_and_a_near_one_is_named() {
    let zone = |zone: &str| {
        case_with(&format!(
            "title = \"T\"\ntime_zone = \"{zone}\"\n[[evidence]]\npath = \"evidence\"\nkind = \"directory\"\n"
        ))
    };
    for known in ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5"] {
        assert_eq!(zone(known).unwrap().entry.time_zone, known);
    }
    let CaseError::TimeZone { nearest, .. } = zone("Europe/Berlim").unwrap_err() else { panic!() };
    assert_eq!(nearest.as_deref(), Some("Europe/Berlin"));
    for wrong in ["", "Mars", "+02:00", "../../etc/passwd"] {
        assert!(matches!(zone(wrong), Err(CaseError::TimeZone { .. })), "{wrong}");
    }
}

#[test]
fn evidence_that_is_not_there_is_named() {
    let error =
        case_with("title = \"T\"\n[[evidence]]\npath = \"gone\"\nkind = \"directory\"\n").unwrap_err();
    assert!(
        matches!(error, CaseError::EvidenceMissing { evidence, line: 3, .. } if evidence.ends_with("gone"))
    );
}

#[test]
fn a_folder_without_a_case_file_is_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let evidence = folder.path().join("host one");
    std::fs::create_dir(&evidence).unwrap();
    assert_eq!(load_case(&evidence).unwrap().entry.name, "host-one");
}
