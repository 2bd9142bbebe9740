//! Evidence that changes while it is examined, and evidence that cannot be opened: neither leads to a sealed run.

use crate::support::{Place, collected_case, copy_folder, demo_folder, script, str, text};
use app::RunError;
use ledger::{IntegrityLevel, Rules};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use testkit::scripted::words;

/// Investigates a case and calls `act` during the agent's turn; returns the error that the run ends with.
fn disturbed(
    place: &Place,
    case: &Path,
    integrity: IntegrityLevel,
    act: impl Fn() + Send + 'static,
) -> RunError {
    let agent = script(vec![Box::new(move |_| {
        act();
        words("done")
    })]);
    let mut request = place.request(Rules::default(), vec![("registry", agent)]);
    request.case = app::load_case(case).unwrap();
    request.work.integrity = integrity;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(app::run(request)).unwrap_err()
}

fn says_changed(place: &Place, error: &RunError, label: &str, path: &Path, what: &str) {
    let told = error.to_string();
    assert!(matches!(error, RunError::Changed { .. }), "{error:?}");
    let expected = format!("the evidence {label} changed while it was examined: {} {what}", path.display());
    assert!(told.ends_with(&expected), "{told}");
    let run = place.runs().pop().unwrap();
    assert!(!run.join(app::MANIFEST).exists());
    place.locard_ends(32, &["verify", str(&run)]);
}

/// Overwrites one byte, as patching a sector does.
fn patch(path: &Path) {
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.write_all_at(b"X", 1000).unwrap();
}

#[test]
fn an_image_that_is_patched_or_removed_during_its_run_is_not_sealed() {
    let place = Place::new();
    let case = place.path("demo");
    copy_folder(&demo_folder(), &case);
    let image = case.canonicalize().unwrap().join("alder-07.E01");
    let original = std::fs::read(&image).unwrap();
    let label = app::load_case(&case).unwrap().entry.evidence[0].label.clone();
    for integrity in [IntegrityLevel::Full, IntegrityLevel::Stat] {
        let target = image.clone();
        let error = disturbed(&place, &case, integrity, move || patch(&target));
        says_changed(&place, &error, &label, &image, "was changed");
        place.file("demo/alder-07.E01", &original);
    }
    let target = image.clone();
    let error =
        disturbed(&place, &case, IntegrityLevel::Full, move || std::fs::remove_file(&target).unwrap());
    says_changed(&place, &error, &label, &image, "is gone");
}

#[test]
fn a_folder_with_a_file_that_is_patched_restored_in_time_or_added_is_not_sealed() {
    let place = Place::new();
    let case = collected_case(&place, "case");
    let folder = case.canonicalize().unwrap().join("evidence/C");
    let hive = folder.join("Windows/System32/config/SAM");
    let target = hive.clone();
    let error = disturbed(&place, &case, IntegrityLevel::Full, move || {
        // Somebody who patches a file can also restore its modification time.
        let modified = target.metadata().unwrap().modified().unwrap();
        patch(&target);
        std::fs::File::open(&target).unwrap().set_modified(modified).unwrap();
    });
    says_changed(&place, &error, "alder-07", &hive, "was changed");

    let added = folder.join("new");
    let target = added.clone();
    let error = disturbed(&place, &case, IntegrityLevel::Full, move || {
        drop(std::fs::File::create_new(&target).unwrap());
    });
    says_changed(&place, &error, "alder-07", &added, "was added");
}

#[test]
fn a_folder_that_was_away_for_a_moment_is_not_sealed() {
    let place = Place::new();
    let case = collected_case(&place, "case");
    let windows = case.canonicalize().unwrap().join("evidence/C/Windows");
    let target = windows.clone();
    let error = disturbed(&place, &case, IntegrityLevel::Full, move || {
        // The files themselves do not change, but a search in between would have found none of them.
        std::fs::rename(target.join("System32"), target.join("away")).unwrap();
        std::fs::rename(target.join("away"), target.join("System32")).unwrap();
    });
    says_changed(&place, &error, "alder-07", &windows, "was changed");
}

#[test]
fn evidence_that_cannot_be_opened_is_told_once_and_begins_no_run() {
    let place = Place::new();
    let zip = std::fs::read(demo_folder().join("alder-fs01.zip")).unwrap();
    let image = std::fs::read(demo_folder().join("alder-07.E01")).unwrap();
    let broken: [PathBuf; 2] =
        [place.file("cut.zip", &zip[..zip.len() / 2]), place.file("cut.E01", &image[..40])];
    for evidence in broken {
        let output = place.locard(&["run", str(&evidence)]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert_eq!(told.matches("open the evidence").count(), 1, "{told}");
        assert_eq!(told.lines().count(), 3, "{told}");
        assert!(place.runs().is_empty(), "{told}");
        let output = place.locard(&["init", str(&evidence), "--hash"]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    }
}
