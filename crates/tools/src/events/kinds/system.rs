//! The system itself.

use super::{ACTION, BY, BY_DOMAIN, BY_LOGON, BY_SID, IMAGE, Kind, PID};
use ledger::FieldType::{Flag, Integer, Name, Path, Text, Time};

pub(super) const KINDS: &[Kind] = &[
    Kind {
        name: "system_state",
        meaning: "the system or its event log started, stopped or was found to have stopped, as `action` says",
        subject: "computer",
        fields: &[
            ACTION,
            ("started", Time, "when the system started"),
            ("stopped", Time, "when the system stopped"),
            ("image", Text, "program that asked for it"),
            ("user", Name, "account that asked for it"),
            ("reason", Text, "reason given"),
            ("comment", Text, "what the user wrote beside the reason"),
            ("slept", Time, "when the system went to sleep"),
            ("woke", Time, "when it woke"),
            ("shutdown_begun", Time, "when a shutdown began"),
            ("shutdown_ended", Time, "when that shutdown ended"),
            ("last_shutdown_good", Flag, "whether the shutdown before went well"),
            ("last_start_good", Flag, "whether the start before went well"),
            ("boot_type", Integer, "0 from nothing, 1 from a hibernated kernel, 2 from hibernation"),
            ("load_options", Text, "options that the kernel was started with"),
            ("failure", Text, "failure of the system with its parameters"),
            ("dump", Path, "dump of the memory"),
            ("report", Name, "id of the report"),
            ("old_host", Name, "name of the computer before"),
            ("new_host", Name, "name of the computer after"),
            ("archived", Name, "channel that was archived"),
            ("archive", Path, "file it was archived to"),
            ("of_provider", Name, "provider whose event it is about"),
            ("error", Integer, "error by its number"),
            ("bugcheck", Integer, "code of the system's failure; 0 for none"),
            ("version", Text, "version of the system"),
            ("build", Name, "its build"),
        ],
    },
    Kind {
        name: "time_changed",
        meaning: "the clock of the computer was set, by people or by time synchronisation; events before and after it do not lie on one clock",
        subject: "computer",
        fields: &[
            ("old_time", Time, "time before"),
            ("new_time", Time, "time after"),
            (
                "reason",
                Integer,
                "reason: 1 a program or a user, 2 synchronisation with the hardware, 3 time zone",
            ),
            IMAGE,
            PID,
            BY,
            BY_DOMAIN,
            BY_SID,
            BY_LOGON,
        ],
    },
];
