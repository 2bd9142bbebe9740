//! Tests of the reader of scheduled tasks.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use super::*;
use proptest::prelude::*;
use testkit::scheduled_task::{TASK, utf16};

#[test]
fn a_task_tells_what_it_starts_when_and_as_whom() {
    let task = read(&utf16(TASK)).unwrap();
    let action = &task.actions[0];
    assert_eq!(action.command.as_ref().unwrap().value, "C:\\Tools\\sync.exe");
    assert_eq!(action.arguments.as_ref().unwrap().value, "/all > C:\\Tools\\log.txt");
    assert_eq!(task.triggers[0].render(), "TimeTrigger start 2012-04-04T02:00:00 every PT5M");
    assert_eq!(task.principal().unwrap().run_level.as_ref().unwrap().value, "HighestAvailable");
    assert_eq!((task.enabled.unwrap().value, task.hidden.unwrap().value), (true, false));
    assert_eq!(task.date.unwrap().value, "2012-04-04T01:58:40");
}

#[test]
fn values_stand_where_their_bytes_are() {
    for bytes in [utf16(TASK), TASK.as_bytes().to_vec()] {
        let command = read(&bytes).unwrap().actions[0].command.clone().unwrap();
        let raw = &bytes[command.offset..command.offset + command.length];
        let text: Vec<u8> = raw.iter().copied().filter(|byte| *byte != 0).collect();
        assert_eq!(text, b"C:\\Tools\\sync.exe");
    }
}

#[test]
fn a_cut_file_is_an_error_and_other_xml_no_task() {
    let bytes = utf16(TASK);
    assert!(matches!(read(&bytes[..bytes.len() / 2]), Err(TaskError::Xml(_))));
    assert!(matches!(read(b"<Other/>"), Err(TaskError::Root(_))));
    assert!(fits(TASK.as_bytes()) && !fits(b"<Task/>"));
}

#[test]
fn the_principal_that_the_actions_name_counts() {
    let text = TASK
        .replace("<Principals>", "<Principals><Principal id=\"Other\"><UserId>other</UserId></Principal>");
    assert_eq!(read(text.as_bytes()).unwrap().principal().unwrap().id, "Author");
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = (fits(&bytes), read(&bytes));
    }
}
