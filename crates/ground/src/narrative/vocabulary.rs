//! English words, as data: words for actions, negations, words for dates, and words that only look like values.

/// Word forms for an action, and what proves the action.
pub(super) struct Deed {
    /// The name of the action in messages to the agent.
    pub(super) name: &'static str,
    /// Forms in lower case; forms of several words have one space between words.
    pub(super) forms: &'static [&'static str],
    /// The predicates of which one must be cited.
    pub(super) by: &'static [&'static str],
    /// Words after a form that change its meaning: a `Run` key is not a run.
    pub(super) not_before: &'static [&'static str],
}

impl Deed {
    /// Checks whether it says that something starts, by itself or through a registration.
    pub(super) fn is_start(&self) -> bool {
        self.by.contains(&"registered") && self.by.contains(&"persists")
    }
}

const SETTINGS: &[&str] = &[
    "key",
    "keys",
    "value",
    "values",
    "entry",
    "entries",
    "count",
    "counts",
    "counter",
    "counters",
    "dialog",
    "box",
    "menu",
    "folder",
    "folders",
    "directory",
    "list",
    "type",
    "mode",
];
const PLACES: &[&str] = &["folder", "folders", "directory", "list", "source", "page"];
const NONE: &[&str] = &[];

/// The actions that sentences state.
pub(super) const DEEDS: &[Deed] = &[
    Deed {
        name: "executed",
        forms: &[
            "executed",
            "execution",
            "executions",
            "executing",
            "ran",
            "launched",
            "launching",
            "invoked",
            "started",
            "was run",
            "were run",
            "been run",
            "being run",
            "got run",
            "first run",
            "last run",
            "detonated",
            "double-clicked",
            "double clicked",
        ],
        by: &["executed"],
        not_before: SETTINGS,
    },
    Deed {
        name: "executed, or starting by itself",
        forms: &[
            "run", "runs", "running", "execute", "executes", "start", "starts", "starting", "launch",
            "launches", "invokes", "invoke",
        ],
        by: &["executed", "persists", "registered"],
        not_before: SETTINGS,
    },
    Deed {
        name: "deleted",
        forms: &[
            "delete",
            "deletes",
            "deleted",
            "deleting",
            "deletion",
            "deletions",
            "erase",
            "erases",
            "erased",
            "erasing",
            "wipe",
            "wipes",
            "wiped",
            "wiping",
            "removed",
            "removes",
            "remove",
            "removal",
            "removing",
            "recycled",
            "destroyed",
            "destroys",
            "destroying",
            "purged",
            "shredded",
            "uninstalled",
        ],
        by: &["deleted"],
        not_before: NONE,
    },
    Deed {
        name: "downloaded",
        forms: &["download", "downloads", "downloaded", "downloading", "fetched", "retrieved from"],
        by: &["downloaded"],
        not_before: PLACES,
    },
    Deed {
        name: "installed",
        forms: &[
            "install",
            "installs",
            "installed",
            "installing",
            "installation",
            "installations",
            "deployed",
        ],
        by: &["installed"],
        not_before: PLACES,
    },
    Deed {
        name: "logged on",
        forms: &[
            "logged on",
            "log on",
            "logs on",
            "logging on",
            "logged in",
            "log in",
            "logs in",
            "logging in",
            "logged into",
            "logged onto",
            "logon",
            "logons",
            "login",
            "logins",
            "signed in",
            "signed on",
            "signs in",
            "sign in",
            "authenticated",
            "authenticates",
        ],
        by: &["logged_on"],
        not_before: &["screen", "script", "scripts", "type", "attempt", "attempts", "page"],
    },
    Deed {
        name: "logged off",
        forms: &[
            "logged off",
            "logs off",
            "log off",
            "logoff",
            "logoffs",
            "logged out",
            "logs out",
            "signed out",
        ],
        by: &["recorded"],
        not_before: NONE,
    },
    Deed {
        name: "persisting",
        forms: &[
            "persist",
            "persists",
            "persisted",
            "persisting",
            "persistence",
            "persistent",
            "persistently",
            "autostart",
            "autostarts",
            "autorun",
            "autoruns",
            "starts automatically",
            "started automatically",
        ],
        by: &["persists"],
        not_before: NONE,
    },
    Deed {
        name: "connected",
        forms: &[
            "connect",
            "connects",
            "connected",
            "connecting",
            "connection",
            "connections",
            "attached",
            "plugged in",
            "plugged into",
            "inserted",
            "mounted",
        ],
        by: &["connected"],
        not_before: NONE,
    },
    Deed {
        name: "cleared",
        forms: &["cleared", "clears", "clearing", "emptied"],
        by: &["cleared"],
        not_before: NONE,
    },
    Deed {
        name: "opened",
        forms: &[
            "opened",
            "opens",
            "opening",
            "viewed",
            "views",
            "viewing",
            "accessed",
            "accesses",
            "accessing",
        ],
        by: &["opened"],
        not_before: NONE,
    },
    Deed {
        name: "visited",
        forms: &["visited", "visits", "visit", "visiting", "browsed", "browsing to", "navigated"],
        by: &["visited"],
        not_before: NONE,
    },
    Deed {
        name: "renamed",
        forms: &["rename", "renames", "renamed", "renaming"],
        by: &["renamed"],
        not_before: NONE,
    },
    Deed {
        name: "created",
        forms: &[
            "create",
            "creates",
            "created",
            "creating",
            "creation",
            "dropped",
            "came into being",
            "planted",
            "wrote",
        ],
        by: &["created"],
        not_before: NONE,
    },
    Deed {
        name: "modified",
        forms: &[
            "modify",
            "modifies",
            "modified",
            "modifying",
            "modification",
            "modifications",
            "changed",
            "changes",
            "changing",
            "altered",
            "edited",
            "overwritten",
            "overwrote",
            "tampered",
            "timestomped",
        ],
        by: &["modified"],
        not_before: NONE,
    },
    Deed {
        name: "sent",
        forms: &[
            "sent",
            "sends",
            "send",
            "sending",
            "uploaded",
            "uploads",
            "uploading",
            "transferred",
            "transfers",
            "transferring",
            "exfiltrated",
            "exfiltrates",
            "exfiltrating",
            "exfiltration",
            "stole",
            "stolen",
        ],
        by: &["sent"],
        not_before: NONE,
    },
    Deed {
        name: "shut down",
        forms: &[
            "shut down",
            "shutdown",
            "shuts down",
            "shutting down",
            "powered off",
            "rebooted",
            "restarted",
        ],
        by: &["shut_down"],
        not_before: NONE,
    },
    Deed {
        name: "granted",
        forms: &["granted", "grants", "granting", "elevated", "promoted"],
        by: &["granted"],
        not_before: NONE,
    },
    Deed {
        name: "detected",
        forms: &["detected", "detects", "detection", "detections", "quarantined", "flagged"],
        by: &["detected"],
        not_before: NONE,
    },
    Deed { name: "typed", forms: &["typed", "types in", "typing"], by: &["typed"], not_before: NONE },
];

/// The predicate that replaces a logon if the logon failed.
pub(super) const FAILED_LOGON: &str = "failed_logon";

/// Words near a logon that say it failed.
pub(super) const FAILING: &[&str] = &[
    "fail",
    "fails",
    "failed",
    "failing",
    "failure",
    "failures",
    "unsuccessful",
    "unsuccessfully",
    "attempted",
];

/// Words that negate what follows them in the same clause.
pub(super) const TURNING: &[&str] = &[
    "not", "no", "never", "cannot", "without", "neither", "nor", "none", "nobody", "nothing", "hardly",
    "barely",
];

/// Nouns whose negation denies everything after them.
pub(super) const EVIDENCE: &[&str] = &[
    "evidence",
    "sign",
    "signs",
    "trace",
    "traces",
    "indication",
    "indications",
    "record",
    "records",
    "proof",
];

/// Words that limit a negation: the clause that they begin is presupposed.
pub(super) const RELATIVE: &[&str] =
    &["who", "which", "that", "whoever", "what", "when", "after", "because", "only"];

/// Words that begin another clause.
pub(super) const JOINING: &[&str] = &["but", "then", "while", "whereas", "although", "though"];

/// Months and days, with their capital letter.
pub(super) const CALENDAR: &[&str] = &[
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
    "Jan",
    "Feb",
    "Mar",
    "Apr",
    "Jun",
    "Jul",
    "Aug",
    "Sep",
    "Sept",
    "Oct",
    "Nov",
    "Dec",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

/// Words before a month or a day that make it a date.
pub(super) const DATING: &[&str] = &[
    "in", "on", "of", "early", "late", "mid", "since", "until", "till", "by", "from", "to", "during", "last",
    "next",
];

/// Number words.
pub(super) const NUMBERS: &[(&str, i128)] = &[
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("thirteen", 13),
    ("fourteen", 14),
    ("fifteen", 15),
    ("sixteen", 16),
    ("seventeen", 17),
    ("eighteen", 18),
    ("nineteen", 19),
    ("twenty", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
    ("hundred", 100),
    ("thousand", 1000),
];

/// Units of numbers that only the evidence can supply; time units have their seconds.
pub(super) const UNITS: &[(&str, Option<i128>)] = &[
    ("time", None),
    ("times", None),
    ("byte", None),
    ("bytes", None),
    ("second", Some(1)),
    ("seconds", Some(1)),
    ("minute", Some(60)),
    ("minutes", Some(60)),
    ("hour", Some(3600)),
    ("hours", Some(3600)),
    ("day", Some(86_400)),
    ("days", Some(86_400)),
];

/// Units that are never exact: a rounded number names no value.
pub(super) const ROUNDED: &[&str] = &[
    "kb",
    "mb",
    "gb",
    "tb",
    "kib",
    "mib",
    "gib",
    "kilobytes",
    "megabytes",
    "gigabytes",
    "week",
    "weeks",
    "month",
    "months",
    "year",
    "years",
    "percent",
];

/// What may follow the digits of a number.
pub(super) const ORDINALS: &[&str] = &["", "st", "nd", "rd", "th"];

/// Words that look like values but are not, in lower case.
pub(super) const PLAIN: &[&str] = &[
    "e.g",
    "i.e",
    "a.m",
    "p.m",
    "u.s",
    "n/a",
    "and/or",
    "or/and",
    "he/she",
    "his/her",
    "read/write",
    "client/server",
    "input/output",
    "i/o",
    "tcp/ip",
    "ssl/tls",
    "x86",
    "x64",
    "ipv4",
    "ipv6",
    "md5",
    "sha1",
    "sha-1",
    "sha256",
    "sha-256",
    "sha512",
    "sha-512",
    "base64",
    "utf-8",
    "utf-16",
    "utf-16le",
    "win32",
    "fat32",
    "ext4",
    "$mft",
    "$j",
    "$logfile",
    "$usnjrnl",
    "$i30",
    "2fa",
    "c2",
];

/// Characters that look like the marks in paths, names and numbers.
pub(super) const MISTAKABLE: &[char] = &[
    '\u{ff0e}', '\u{2024}', '\u{3002}', '\u{fe52}', '\u{2215}', '\u{2044}', '\u{ff0f}', '\u{29f5}',
    '\u{2216}', '\u{fe68}', '\u{ff3c}', '\u{29f8}', '\u{ff1a}', '\u{a789}', '\u{2236}', '\u{ff20}',
    '\u{ff3f}',
];

/// Words that say something is harmless.
pub(super) const EXONERATING: &[&str] = &[
    "benign",
    "clean",
    "genuine",
    "harmless",
    "innocent",
    "innocuous",
    "irrelevant",
    "legit",
    "legitimate",
    "legitimately",
    "safe",
    "trusted",
    "trustworthy",
    "uncompromised",
    "uninfected",
    "unsuspicious",
];

/// Words that exonerate if they are denied.
pub(super) const INCRIMINATING: &[&str] = &[
    "attack",
    "attacked",
    "attacker",
    "attackers",
    "attacks",
    "breach",
    "breached",
    "compromise",
    "compromised",
    "dangerous",
    "harmful",
    "incident",
    "incidents",
    "infected",
    "infection",
    "intruder",
    "intruders",
    "intrusion",
    "intrusions",
    "malicious",
    "malware",
    "suspicious",
    "threat",
    "threats",
];

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::{Predicate, Vocabulary};

    #[test]
    fn every_deed_is_proved_by_predicates_of_the_shipped_vocabulary_and_no_form_stands_twice() {
        let vocabulary = Vocabulary::shipped().unwrap();
        let mut forms = std::collections::BTreeSet::new();
        for deed in DEEDS {
            for by in deed.by.iter().chain([&FAILED_LOGON]) {
                assert!(vocabulary.meaning(&Predicate((*by).to_owned())).is_some(), "{by}");
            }
            for form in deed.forms {
                assert!(forms.insert(*form), "{form} stands twice");
                assert_eq!(form.to_lowercase(), *form);
            }
        }
    }
}
