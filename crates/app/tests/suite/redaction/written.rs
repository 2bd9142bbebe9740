//! Everything that can be written about the sample run.

use app::{Conversion, ConvertRequest, Interrupt, Profile, Signer};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The private key of RFC 8410, section 10.3.
const PRIVATE: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n";

pub(crate) fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runs/sample")
}

/// Every format, by the suffix of its file.
const FORMATS: [&str; 10] = [
    "html",
    "md",
    "json",
    "timesketch.jsonl",
    "case.jsonld",
    "stix.json",
    "facts.csv",
    "timeline.csv",
    "navigator.json",
    "intoto.json",
];

/// Returns the run in every format, with its file name; packed contents are appended unpacked.
pub(crate) fn everything(profile: Option<Profile>) -> Vec<(&'static str, String)> {
    FORMATS.iter().map(|format| (*format, one(format, profile.clone()))).collect()
}

/// Returns the run in every format with nothing withheld.
pub(crate) fn whole() -> &'static [(&'static str, String)] {
    static WHOLE: OnceLock<Vec<(&str, String)>> = OnceLock::new();
    WHOLE.get_or_init(|| everything(None))
}

/// Returns the run in one format.
pub(crate) fn one(format: &'static str, profile: Option<Profile>) -> String {
    let folder = sample();
    match format {
        "html" => {
            unpacked(app::report_page(&folder, None, profile.as_ref(), app::Wording::default()).unwrap())
        }
        "md" => {
            report::markdown(&app::show_run(&folder, profile.as_ref(), app::Wording::default()).unwrap().run)
        }
        "json" => report::json_text(&report::json(
            &app::show_run(&folder, profile.as_ref(), app::Wording::default()).unwrap().run,
        )),
        _ => converted(format, profile),
    }
}

fn converted(format: &str, redact: Option<Profile>) -> String {
    let place = tempfile::tempdir().unwrap();
    let key = place.path().join("key.pem");
    std::fs::write(&key, PRIVATE).unwrap();
    let conversion = match format {
        "timesketch.jsonl" => Conversion::Timesketch,
        "case.jsonld" => Conversion::CaseUco,
        "stix.json" => Conversion::Stix,
        "facts.csv" => Conversion::CsvFacts,
        "timeline.csv" => Conversion::CsvTimeline,
        "navigator.json" => Conversion::Navigator,
        _ => Conversion::InToto { signer: Box::new(Signer::read(&key).unwrap()), files: Vec::new() },
    };
    let redacted = redact.is_some();
    let request = ConvertRequest {
        folder: sample(),
        conversion,
        unsealed: false,
        attack: None,
        redact,
        wording: app::Wording::default(),
        interrupt: Interrupt::new(),
    };
    let mut out = Vec::new();
    let told = app::convert_to(&request, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let name = app::converted_name(&request);
    assert_eq!(name == format!("redacted.{format}"), redacted, "{name}");
    let text = if format == "intoto.json" { opened(&text) } else { text };
    // The names that are reported for the file count, too.
    format!("{text}\n{name}\n{}", told.run)
}

/// Returns a page with its packed contents appended.
pub(crate) fn unpacked(page: String) -> String {
    let mut all = page.clone();
    let packed = page.split("<script class=\"packed\" type=\"application/gzip\">").skip(1);
    for piece in packed.map(|rest| rest.split('<').next().unwrap()) {
        let bytes = STANDARD.decode(piece).unwrap();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut all).unwrap();
    }
    all
}

/// Returns an envelope with its payload appended.
fn opened(envelope: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(envelope).unwrap();
    let payload = STANDARD.decode(value["payload"].as_str().unwrap()).unwrap();
    format!("{envelope}{}", String::from_utf8(payload).unwrap())
}
