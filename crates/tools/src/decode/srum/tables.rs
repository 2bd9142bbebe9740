//! The tables of SRUM's providers and their columns.

use super::parts;
use ledger::{FieldType, FieldValue, Precision};

/// A provider's table, and the records made from it.
pub(super) struct Provider {
    /// Its name: a GUID.
    pub(super) guid: &'static str,
    pub(super) kind: &'static str,
    pub(super) meaning: &'static str,
    pub(super) columns: &'static [Mapped],
}

/// Column, field, how to read it, meaning.
pub(super) type Mapped = (&'static str, &'static str, As, &'static str);

/// How a column is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum As {
    Integer,
    /// A FILETIME in a column of whole numbers.
    Filetime,
    /// A column of times.
    Time,
}

impl As {
    pub(super) fn field_type(self) -> FieldType {
        match self {
            As::Integer => FieldType::Integer,
            As::Filetime | As::Time => FieldType::Time,
        }
    }
}

/// The columns that every provider has.
pub(super) const COMMON: &[Mapped] = &[
    ("AutoIncId", "entry", As::Integer, "number of the entry in its table"),
    (
        "TimeStamp",
        "time",
        As::Time,
        "when the entry was made: the end of an interval of about an hour, or a shutdown",
    ),
];

pub(super) const PROVIDERS: &[Provider] = &[
    Provider {
        guid: "{D10CA2FE-6FCF-4F6D-848E-B2E99266FA89}",
        kind: "srum_application",
        meaning: "processor and disk use of an application in the interval that ended at `time`: it ran at some moment of it; not when, nor what it did",
        columns: &[
            ("ForegroundCycleTime", "foreground_cycles", As::Integer, "processor cycles in the foreground"),
            ("BackgroundCycleTime", "background_cycles", As::Integer, "processor cycles in the background"),
            ("FaceTime", "face_time", As::Integer, "time in the foreground, in units of 100 nanoseconds"),
            ("ForegroundBytesRead", "foreground_bytes_read", As::Integer, "bytes read in the foreground"),
            (
                "ForegroundBytesWritten",
                "foreground_bytes_written",
                As::Integer,
                "bytes written in the foreground",
            ),
            ("BackgroundBytesRead", "background_bytes_read", As::Integer, "bytes read in the background"),
            (
                "BackgroundBytesWritten",
                "background_bytes_written",
                As::Integer,
                "bytes written in the background",
            ),
        ],
    },
    Provider {
        guid: "{973F5D5C-1D90-4944-BE8E-24B94231A174}",
        kind: "srum_network",
        meaning: "bytes that an application transferred over one interface in the interval that ended at `time`; not with whom, nor what",
        columns: &[
            ("BytesSent", "bytes_sent", As::Integer, "bytes sent"),
            ("BytesRecvd", "bytes_received", As::Integer, "bytes received"),
            (
                "InterfaceLuid",
                "interface_luid",
                As::Integer,
                "LUID of the interface; its type stands in the highest 16 bits: 6 Ethernet, 71 wireless",
            ),
            ("L2ProfileId", "profile_id", As::Integer, "number of the wireless profile; 0 without one"),
            ("L2ProfileFlags", "profile_flags", As::Integer, "flags of the wireless profile"),
        ],
    },
    Provider {
        guid: "{DD6636C4-8929-4683-974E-22C046A43763}",
        kind: "srum_connectivity",
        meaning: "an interface that was connected to a network; not to which computers",
        columns: &[
            ("ConnectStartTime", "connected", As::Time, "when the connection began"),
            ("ConnectedTime", "connected_seconds", As::Integer, "seconds of connection"),
            (
                "InterfaceLuid",
                "interface_luid",
                As::Integer,
                "LUID of the interface; its type stands in the highest 16 bits: 6 Ethernet, 71 wireless",
            ),
            ("L2ProfileId", "profile_id", As::Integer, "number of the wireless profile; 0 without one"),
            ("L2ProfileFlags", "profile_flags", As::Integer, "flags of the wireless profile"),
        ],
    },
    Provider {
        guid: "{D10CA2FE-6FCF-4F6D-848E-B2E99266FA86}",
        kind: "srum_notification",
        meaning: "a push notification that was delivered to an application; not that anybody saw it",
        columns: &[
            ("NotificationType", "notification_type", As::Integer, "type of the notification"),
            ("PayloadSize", "payload_size", As::Integer, "bytes of the notification"),
            ("NetworkType", "network_type", As::Integer, "type of the network"),
        ],
    },
    Provider {
        guid: "{5C8CF1C7-7257-4F13-B223-970EF5939312}",
        kind: "srum_app_timeline",
        meaning: "activity of an application up to `ended`: it ran then; not what it did",
        columns: &[
            ("EndTime", "ended", As::Filetime, "end of the span that the entry is about"),
            ("DurationMS", "duration_ms", As::Integer, "milliseconds of the span"),
            ("SpanMS", "span_ms", As::Integer, "milliseconds of the span of the timeline"),
            ("InFocusS", "focus_seconds", As::Integer, "seconds in focus"),
            ("UserInputS", "input_seconds", As::Integer, "seconds with input of a user"),
            ("KeyboardInputS", "keyboard_seconds", As::Integer, "seconds with input from the keyboard"),
            ("MouseInputS", "mouse_seconds", As::Integer, "seconds with input from the mouse"),
            ("AudioInS", "audio_in_seconds", As::Integer, "seconds of recorded sound"),
            ("AudioOutS", "audio_out_seconds", As::Integer, "seconds of played sound"),
            ("Cycles", "cycles", As::Integer, "processor cycles"),
            ("NetworkBytesRaw", "network_bytes", As::Integer, "bytes over the network"),
        ],
    },
];

/// Energy use, and providers that came later: their columns are listed as they are.
pub(super) const OTHER: Provider = Provider {
    guid: "",
    kind: "srum_entry",
    meaning: "an entry of another provider of SRUM, such as energy use; what its numbers mean is not told",
    columns: &[],
};

/// Days from 1899-12-30 to 1970-01-01.
const DAYS_TO_UNIX: f64 = 25_569.0;

/// Converts a column of times: days since 1899-12-30, or a FILETIME if the number is not plausible as days.
pub(super) fn instant(bits: u64) -> Option<FieldValue> {
    if bits == 0 {
        return None;
    }
    let days = f64::from_bits(bits);
    // From 1954 to 2118. A present-day FILETIME, read as a double, is near zero.
    if !(20_000.0..80_000.0).contains(&days) {
        return Some(FieldValue::Time(ledger::Time::from_filetime(bits)));
    }
    let milliseconds = ((days - DAYS_TO_UNIX) * 86_400_000.0).round();
    // A double of this size represents whole numbers exactly.
    let nanoseconds = (milliseconds as i128).saturating_mul(1_000_000);
    Some(parts::host_time(nanoseconds, days.to_string(), Precision::Millisecond))
}
