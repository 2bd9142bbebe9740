//! The lists of the Program Compatibility Assistant.

use crate::fixture::text;
use ledger::Outcome;
use testkit::samples::samples;
use tools::{Return, decode_bytes};

fn decoded(path: &str, bytes: &[u8]) -> Return {
    let scratch = tempfile::tempdir().unwrap();
    decode_bytes("pca", path, bytes, scratch.path())
}

fn sample(name: &str) -> (&'static str, Vec<u8>) {
    let sample = samples().into_iter().find(|sample| sample.path.ends_with(name)).unwrap();
    (sample.path, sample.bytes)
}

#[test]
fn a_launch_has_its_program_and_time_with_their_bytes() {
    let (path, bytes) = sample("PcaAppLaunchDic.txt");
    let returned = decoded(path, &bytes);
    let told: Vec<_> =
        returned.records.iter().map(|record| [text(record, "program"), text(record, "last_run")]).collect();
    assert_eq!(
        told,
        [
            [r"C:\Program Files\Editor\editor.exe", "2025-09-16T08:12:05.120Z"],
            [r"C:\Users\ann\Downloads\invoice.pdf.exe", "2025-09-16T09:44:12.003Z"],
        ]
    );
    for record in &returned.records {
        let at = record.fields["program"].at.unwrap();
        let (start, end) = (at.offset as usize, (at.offset + at.length) as usize);
        assert_eq!(String::from_utf8_lossy(&bytes[start..end]), text(record, "program"));
    }
}

#[test]
fn an_entry_of_the_log_has_its_members_and_leaves_out_what_is_empty() {
    let (path, bytes) = sample("PcaGeneralDb0.txt");
    let returned = decoded(path, &bytes);
    let [end, setup] = returned.records.as_slice() else { panic!("{:?}", returned.records) };
    assert_eq!(text(end, "program"), r"%userprofile%\downloads\invoice.pdf.exe");
    assert_eq!((text(end, "status"), text(end, "vendor")), ("2".to_owned(), "Example Ltd".to_owned()));
    assert_eq!(text(end, "result"), "Abnormal process exit with code 0xc0000005");
    assert!(!setup.fields.contains_key("vendor") && setup.fields.contains_key("program_id"));
}

#[test]
fn a_line_that_is_none_is_damage_and_the_others_are_read() {
    let path = "Windows/appcompat/pca/PcaAppLaunchDic.txt";
    let returned = decoded(
        path,
        b"C:\\a.exe|2025-09-16 08:12:05.120\r\nC:\\b.exe|yesterday\r\n|2025-09-16 08:12:05\r\n",
    );
    assert_eq!((returned.outcome, returned.records.len()), (Outcome::Ok, 1));
    let told: Vec<_> = returned.defects.iter().map(|defect| (defect.offset, defect.what.as_str())).collect();
    let expected = "expected 2 or 8 members with a time, found 2";
    assert_eq!(told, [(Some(34), expected), (Some(54), expected)]);
}
