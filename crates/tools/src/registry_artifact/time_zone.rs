//! The time zone of the host: `Control\TimeZoneInformation` of the active control set.
//!
//! Biases are minutes that are added to local time to get UTC, signed, in a REG_DWORD
//! (Microsoft Learn, `DYNAMIC_TIME_ZONE_INFORMATION` and `TIME_ZONE_INFORMATION`).

use super::Artifact;
use super::draft::{Draft, record_type};
use super::reader::Reader;
use crate::intake::Flow;
use artifacts::registry::HiveType;
use ledger::FieldType::{Flag, Integer, Name, Text};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "time_zone";

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "time_zone",
    about: "time zone of the host and its offset from UTC",
    hives: &[HiveType::System],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    vec![record_type(
        KIND,
        "the time zone that was set in the active control set",
        "key_path",
        &[
            (
                "zone",
                &[Name],
                "name of the time zone among those of Windows, such as W. Europe Standard Time",
            ),
            ("standard_name", &[Text], "name of standard time; may be a resource such as @tzres.dll,-112"),
            ("daylight_name", &[Text], "name of daylight saving time; may be a resource"),
            (
                "bias",
                &[Integer],
                "minutes to add to local time to get UTC, daylight saving aside; west of Greenwich positive",
            ),
            ("standard_bias", &[Integer], "minutes added to the bias in standard time"),
            ("daylight_bias", &[Integer], "minutes added to the bias in daylight saving time"),
            (
                "active_bias",
                &[Integer],
                "minutes to add to local time to get UTC when the hive was written: daylight saving included",
            ),
            ("daylight_disabled", &[Flag], "whether daylight saving is switched off"),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let Some(set) = reader.control_set() else { return ControlFlow::Continue(()) };
    let Some(key) = reader.below(&set, "Control\\TimeZoneInformation") else {
        return ControlFlow::Continue(());
    };
    let values = reader.values(&key);
    let record = Draft::of_key(reader, KIND, &key)
        .text("zone", values.get("TimeZoneKeyName"), FieldValue::Name)
        .text("standard_name", values.get("StandardName"), FieldValue::Text)
        .text("daylight_name", values.get("DaylightName"), FieldValue::Text)
        .integer("bias", values.get("Bias"), signed)
        .integer("standard_bias", values.get("StandardBias"), signed)
        .integer("daylight_bias", values.get("DaylightBias"), signed)
        .integer("active_bias", values.get("ActiveTimeBias"), signed)
        .flag("daylight_disabled", values.get("DynamicDaylightTimeDisabled"))
        .done();
    reader.push(record)
}

/// Reads a signed 32-bit number; a larger one stays as it is.
fn signed(number: u64) -> i128 {
    u32::try_from(number).map_or(i128::from(number), |number| i128::from(number.cast_signed()))
}
