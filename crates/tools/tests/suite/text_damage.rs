//! Damage of text logs.

use crate::fixture::fits;
use ledger::Completeness;
use testkit::scheduled_task::utf16;
use testkit::windows_logs::{DEFENDER, FIREWALL, HISTORY, REPORT, SETUP, TRANSCRIPT, WEB};
use tools::{Return, decode_bytes};

fn decoded(decoder: &str, path: &str, bytes: &[u8]) -> Return {
    let scratch = tempfile::tempdir().unwrap();
    let returned = decode_bytes(decoder, path, bytes, scratch.path());
    fits(&returned, "parse_file");
    returned
}

/// A block of zeros, as a crash leaves it, and a cut character.
#[test]
fn damage_of_every_text_is_told_with_its_place() {
    let plain = [
        ("hosts", "hosts", "10.0.0.7 a.example\n"),
        ("powershell_history", "ConsoleHost_history.txt", HISTORY),
        ("powershell_transcript", "PowerShell_transcript.a.txt", TRANSCRIPT),
        ("setup_log", "setupapi.dev.log", SETUP),
    ];
    for (decoder, name, log) in plain {
        let whole = decoded(decoder, name, log.as_bytes());
        assert_eq!(whole.defects, [], "{decoder}");
        let zeros = decoded(decoder, name, &[log.as_bytes(), &[0; 100]].concat());
        assert_eq!(zeros.defects[0].offset, Some(log.len() as u64), "{decoder}");
        assert_eq!(zeros.completeness, Completeness::Truncated, "{decoder}");
    }
    for (decoder, name, log) in
        [("defender_log", "MPLog-1.log", DEFENDER), ("error_report", "Report.wer", REPORT)]
    {
        let mut bytes = utf16(log);
        assert_eq!(decoded(decoder, name, &bytes).defects, [], "{decoder}");
        bytes.push(b'x');
        let cut = decoded(decoder, name, &bytes);
        assert_eq!(cut.defects[0].offset, Some(bytes.len() as u64 - 1), "{decoder}");
    }
}

#[test]
fn a_row_with_fewer_values_than_columns_says_so() {
    for (decoder, name, log) in [("firewall_log", "pfirewall.log", FIREWALL), ("web_log", "u_ex1.log", WEB)] {
        let whole = decoded(decoder, name, log.as_bytes());
        assert!(whole.records.iter().all(|record| record.defects.is_empty()), "{decoder}");
        let cut = decoded(decoder, name, &log.as_bytes()[..log.len() - 30]);
        let last = cut.records.last().unwrap();
        assert_eq!((cut.records.len(), last.defects.len()), (whole.records.len(), 1), "{decoder}");
        let bare: String =
            log.lines().filter(|line| !line.starts_with("#Fields")).map(|line| format!("{line}\n")).collect();
        let bare = decoded(decoder, name, bare.as_bytes());
        assert_eq!((bare.records.len(), bare.defects.len()), (0, whole.records.len()), "{decoder}");
    }
}
