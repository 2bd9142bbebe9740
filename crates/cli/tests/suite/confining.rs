//! Systems that cannot confine tools, and systems that limit the program itself.

use crate::support::{Place, demo_folder, program, str, text};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};
use std::process::{Command, Output};

/// The number of the `landlock_create_ruleset` system call on all architectures.
const LANDLOCK: i64 = 444;

/// Runs the program without Landlock: a system call filter returns the same error as a kernel that lacks it.
fn without_landlock(place: &Place, arguments: &[&str]) -> Output {
    let mut command = place.command(arguments);
    std::thread::scope(|scope| {
        // The filter applies to the thread that installs it and to everything that this thread starts.
        let started = scope.spawn(move || {
            let filter = SeccompFilter::new(
                [(LANDLOCK, Vec::new())].into(),
                SeccompAction::Allow,
                SeccompAction::Errno(38),
                TargetArch::try_from(std::env::consts::ARCH).unwrap(),
            );
            let filter: BpfProgram = filter.unwrap().try_into().unwrap();
            seccompiler::apply_filter(&filter).unwrap();
            command.output().unwrap()
        });
        started.join().unwrap()
    })
}

/// Runs the program from a shell that sets a limit first.
#[expect(clippy::disallowed_methods, reason = "the tests start the program as a person does")]
fn limited(place: &Place, limit: &str, arguments: &[&str]) -> Output {
    let line = format!("ulimit {limit} && exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &line]).arg(program()).args(arguments).current_dir(place.path(""));
    command.env_clear().env("TMPDIR", place.path("")).output().unwrap()
}

#[test]
fn the_doctor_ends_with_40_where_nothing_confines_and_says_how_to_get_it() {
    let place = Place::new();
    let output = without_landlock(&place, &["doctor"]);
    let out = text(&output.stdout);
    assert_eq!(output.status.code(), Some(40), "{out}");
    assert!(out.contains("Landlock: files and network: missing: this kernel does not have it"), "{out}");
    assert!(out.contains("to have it: Linux 5.13"), "{out}");
    assert!(out.contains("tools cannot be confined here"), "{out}");
}

#[test]
fn nothing_is_investigated_where_nothing_confines_unless_that_is_asked_for() {
    let place = Place::new();
    let output = without_landlock(&place, &["run", str(&demo_folder())]);
    assert_eq!(output.status.code(), Some(40), "{}", text(&output.stderr));
    assert!(place.runs().is_empty());
    let output = without_landlock(&place, &["run", str(&demo_folder()), "--unconfined"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn too_little_address_space_is_an_error_that_says_so() {
    let place = Place::new();
    let output = limited(&place, "-v 400000", &["run", str(&demo_folder())]);
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("ulimit -v") && err.contains("409600000 bytes"), "{err}");
    assert!(place.runs().is_empty());
}

#[test]
fn a_limit_on_files_is_an_error_that_says_so_and_a_run_that_did_not_begin_is_not_the_latest() {
    let place = Place::new();
    place.locard_ends(0, &["run", str(&demo_folder())]);
    let begun = place.only_run();
    let output = limited(&place, "-f 0", &["run", str(&demo_folder())]);
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{:?} {err}", output.status);
    assert!(err.contains("error: ") && err.contains("ulimit -f"), "{err}");
    assert_eq!(place.runs(), std::slice::from_ref(&begun));
    let out = place.locard_ends(0, &["report", "latest"]);
    assert!(out.contains(&format!("Run `{}`", begun.file_name().unwrap().display())), "{out}");
}

#[test]
fn a_run_that_outgrows_a_limit_on_files_says_so() {
    let place = Place::new();
    let output = limited(&place, "-f 64", &["run", str(&demo_folder())]);
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{:?} {err}", output.status);
    assert!(err.contains("error: "), "{err}");
}
