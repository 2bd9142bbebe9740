//! When the system was shut down: `ShutdownTime` of the active control set, a FILETIME.
//!
//! Windows XP counts shutdowns in `Control\Watchdog\Display`.

use super::Artifact;
use super::draft::{Draft, record_type};
use super::reader::Reader;
use crate::intake::Flow;
use artifacts::registry::HiveType;
use ledger::FieldType::{Integer, Time};
use ledger::RecordType;
use std::ops::ControlFlow;

const KIND: &str = "shutdown";

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "shutdown",
    about: "when the system was last shut down",
    hives: &[HiveType::System],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    vec![record_type(
        KIND,
        "the last orderly shutdown of the system, or how many there were",
        "key_path",
        &[
            ("shutdown_time", &[Time], "when the system was last shut down in an orderly way"),
            ("shutdown_count", &[Integer], "number of shutdowns; Windows XP only"),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let Some(set) = reader.control_set() else { return ControlFlow::Continue(()) };
    for path in ["Control\\Windows", "Control\\Watchdog\\Display"] {
        let Some(key) = reader.below(&set, path) else { continue };
        let values = reader.values(&key);
        let (time, count) = (values.get("ShutdownTime"), values.get("ShutdownCount"));
        if time.is_none() && count.is_none() {
            continue;
        }
        let draft = Draft::of_key(reader, KIND, &key);
        reader.push(draft.filetime("shutdown_time", time).number("shutdown_count", count).done())?;
    }
    ControlFlow::Continue(())
}
