//! A case with five hosts, as facts and their connections: an intruder enters one host, moves on with two accounts, and exfiltrates data.
//!
//! Two accounts have the same name, one stick is on two hosts, and a path is reused.

use ledger::{
    BoundValue, ByteSpan, Digest, FactEntry, FactId, FieldValue, IdSpace, InvocationId, Locator, Placement,
    Predicate, RecordId, Seed, TaskId, Tier, Time, Utc,
};

/// The labels of the evidence, one for each host.
pub const HOSTS: [&str; 5] = ["ws1", "ws2", "fs1", "dc1", "ws3"];

/// The SID of the domain's account `admin`.
pub const DOMAIN_ADMIN: &str = "S-1-5-21-100-200-300-1105";
/// The SID of ws3's own account `admin`.
pub const LOCAL_ADMIN: &str = "S-1-5-21-900-800-700-1001";
/// The SID of the user who downloaded the program.
pub const MARA: &str = "S-1-5-21-100-200-300-1110";
/// The serial number of the stick.
pub const STICK: &str = "4C530001230915117142";
/// The hash of the program.
pub const TOOL: &str = "7f68cf0426172fe29f324e5778d678e4deb4c23c76eb2a0cd5a7f89acf80e35f";

/// A fact built field by field.
#[derive(Debug, Clone)]
pub struct Made {
    fact: FactEntry,
}

/// Starts a fact about a record of this type.
pub fn made(number: u32, evidence: &str, says: &str, kind: &str) -> Made {
    let ids = IdSpace::new(Seed(Digest::of(b"five hosts")));
    let task = TaskId(1);
    let placeholder = bound("none", FieldValue::Flag(true));
    Made {
        fact: FactEntry {
            id: assigned(FactId::assign(&ids, task, number)),
            predicate: Predicate(says.to_owned()),
            subject: placeholder,
            values: Vec::new(),
            invocation: assigned(InvocationId::assign(&ids, task, 0)),
            output: Digest::of(b"output"),
            record: RecordId(number),
            kind: kind.to_owned(),
            locator: Locator {
                evidence: evidence.to_owned(),
                path: "file".to_owned(),
                stream: None,
                span: None,
            },
            shown: true,
            placement: None,
        },
    }
}

impl Made {
    /// Adds a value.
    pub fn with(mut self, field: &str, value: FieldValue) -> Made {
        self.fact.values.push(bound(field, value));
        self
    }

    /// Adds a name.
    pub fn name(self, field: &str, text: &str) -> Made {
        self.with(field, FieldValue::Name(text.to_owned()))
    }

    /// Adds a path.
    pub fn path(self, field: &str, text: &str) -> Made {
        self.with(field, FieldValue::Path(text.to_owned()))
    }

    /// Adds a SID.
    pub fn sid(self, field: &str, text: &str) -> Made {
        self.with(field, FieldValue::Sid(text.to_owned()))
    }

    /// Adds a whole number.
    pub fn number(self, field: &str, number: i128) -> Made {
        self.with(field, FieldValue::Integer(number))
    }

    /// Adds a time, in minutes after midnight of 2025-09-16.
    pub fn minute(self, field: &str, minutes: u64) -> Made {
        self.with(field, FieldValue::Time(minute(minutes)))
    }

    /// Sets the file that contains its record.
    pub fn of_file(mut self, path: &str) -> Made {
        path.clone_into(&mut self.fact.locator.path);
        self
    }

    /// Sets the placement of its file.
    pub fn placed(mut self, placement: Placement) -> Made {
        self.fact.placement = Some(placement);
        self
    }

    /// Returns the fact; its first value is its subject.
    pub fn fact(mut self) -> FactEntry {
        if let Some(first) = self.fact.values.first() {
            self.fact.subject = first.clone();
        }
        self.fact
    }
}

/// Returns a time by the host's clock, in minutes after midnight of 2025-09-16.
pub fn minute(minutes: u64) -> Time {
    // 2025-09-16T00:00:00Z.
    Time::from_filetime(134_024_256_000_000_000 + minutes * 60 * 10_000_000)
}

/// Returns the instant of [`minute`].
pub fn instant(minutes: u64) -> Option<Utc> {
    minute(minutes).utc
}

fn bound(field: &str, value: FieldValue) -> BoundValue {
    BoundValue {
        field: field.to_owned(),
        value,
        quotation: None,
        tier: Tier::Exact,
        span: ByteSpan::new(0, 1),
        at: None,
        writer: Some(ledger::Writer::System),
    }
}

#[expect(clippy::panic, reason = "a made fact outside of the id space is a mistake in the test")]
fn assigned<T>(id: Result<T, ledger::IdError>) -> T {
    id.unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the facts of the case.
pub fn facts() -> Vec<FactEntry> {
    let mut number = 0;
    let mut next = |evidence: &str, says: &str, kind: &str| {
        number += 1;
        made(number, evidence, says, kind)
    };
    let tool = r"C:\Users\mara\Downloads\tool.exe";
    let mut facts = Vec::new();
    for (at, host) in (0..).zip(HOSTS) {
        facts.push(next(host, "configured", "computer_name").name("name", &host.to_uppercase()));
        let address = FieldValue::List(vec![format!("10.0.0.{}", at + 1)]);
        facts.push(
            next(host, "configured", "network_interface").name("interface", "{1}").with("addresses", address),
        );
    }
    facts.extend([
        // An intruder enters ws1.
        next("ws1", "downloaded", "browser_download")
            .path("file", tool)
            .name("url", "http://cdn.example/tool.exe")
            .minute("time", 600)
            .name("user", "mara"),
        next("ws1", "configured", "user_profile").sid("sid", MARA).path("profile_path", r"C:\Users\mara"),
        next("ws1", "present", "mft_file_entry")
            .path("path", tool)
            .number("entry", 70)
            .number("sequence", 2)
            .minute("fn_created", 600),
        next("ws1", "present", "file_hash").path("path", tool).with("sha256", FieldValue::Hash(TOOL.into())),
        next("ws1", "executed", "process_created")
            .path("image", tool)
            .number("pid", 4100)
            .minute("time", 602)
            .name("user", r"CORP\mara")
            .sid("sid", MARA),
        next("ws1", "executed", "process_created")
            .path("image", r"C:\Windows\System32\cmd.exe")
            .number("pid", 4200)
            .minute("time", 603)
            .number("parent_pid", 4100)
            .path("parent_image", tool)
            .sid("sid", MARA),
        next("ws1", "connected", "network_connection")
            .path("image", tool)
            .number("pid", 4100)
            .minute("time", 604)
            .name("destination_address", "203.0.113.9"),
        // The process id is reused.
        next("ws1", "executed", "process_created")
            .path("image", r"C:\Windows\notepad.exe")
            .number("pid", 4100)
            .minute("time", 700),
        // The intruder moves on to ws2 and fs1 with the domain account.
        next("ws2", "logged_on", "logon")
            .name("account", "admin")
            .name("domain", "CORP")
            .sid("sid", DOMAIN_ADMIN)
            .name("address", "10.0.0.1")
            .minute("time", 610)
            .number("logon_id", 0x1234),
        next("ws2", "installed", "service_installed")
            .name("service_name", "Helper")
            .with("image_path", FieldValue::Text(r"C:\ProgramData\tool.exe -k".into()))
            .sid("by_sid", DOMAIN_ADMIN)
            .name("start_type", "auto start")
            .minute("time", 611),
        next("ws2", "persists", "service")
            .name("name", "hlp")
            .name("start_name", "automatic")
            .name("display_name", "Helper")
            .with("image_path", FieldValue::Text(r"C:\ProgramData\tool.exe -k".into())),
        next("ws2", "present", "file_hash")
            .path("path", r"C:\ProgramData\tool.exe")
            .with("sha256", FieldValue::Hash(TOOL.into())),
        next("fs1", "logged_on", "logon")
            .name("account", "ADMIN")
            .name("domain", "Corp")
            .sid("sid", DOMAIN_ADMIN)
            .name("address", "10.0.0.2")
            .minute("time", 620),
        // A record without a SID: only one account has this name.
        next("dc1", "failed_logon", "logon_failed")
            .name("account", "admin")
            .name("domain", "CORP")
            .name("address", "10.0.0.3")
            .minute("time", 625),
        // A different account with the same name, on ws3.
        next("ws3", "present", "user_account").name("name", "admin").sid("sid", LOCAL_ADMIN),
        next("ws3", "cleared", "log_cleared")
            .name("cleared", "Security")
            .name("by_account", "admin")
            .name("by_domain", "WS3")
            .minute("time", 640),
        // The stick is on two hosts; another device has a serial number that Windows made up.
        next("fs1", "connected", "usb_device")
            .name("device", r"Disk&Ven_X&Prod_Y\4C530001230915117142&0")
            .name("serial", STICK)
            .minute("first_install_time", 630),
        next("ws1", "connected", "device_connected")
            .name("device", r"USBSTOR\Disk&Ven_X&Prod_Y\4C530001230915117142&0")
            .minute("time", 650),
        next("ws1", "connected", "usb_device")
            .name("device", r"Disk&Ven_Z\6&1a2b3c&0")
            .name("serial", "6&1a2b3c&0"),
        next("fs1", "connected", "usb_device")
            .name("device", r"Disk&Ven_Z\6&1a2b3c&0")
            .name("serial", "6&1a2b3c&0"),
        // A file from another host that is stored on ws3 and says nothing about ws3.
        next("ws3", "recorded", "log_cleared")
            .name("cleared", "System")
            .name("by_account", "admin")
            .name("by_domain", "WS3")
            .minute("time", 660)
            .of_file("Users/x/Desktop/old.evtx")
            .placed(Placement::Elsewhere),
        // One path, two files: the path alone no longer shows which one is meant.
        next("ws3", "present", "mft_file_entry")
            .path("path", r"C:\Temp\a.exe")
            .number("entry", 80)
            .number("sequence", 1),
        next("ws3", "present", "mft_file_entry")
            .path("path", r"C:\Temp\a.exe")
            .number("entry", 91)
            .number("sequence", 4),
        next("ws3", "executed", "bam_entry")
            .path("program", r"C:\Temp\a.exe")
            .sid("sid", LOCAL_ADMIN)
            .minute("last_run", 670),
    ]);
    facts.into_iter().map(Made::fact).collect()
}

/// Every relation that the facts show, as `kind name | relation | kind name`. Entities without a significant name are described by other words.
pub const RELATIONS: &[&str] = &[
    "host ws1 | has_address | address 10.0.0.1",
    "host ws2 | has_address | address 10.0.0.2",
    "host fs1 | has_address | address 10.0.0.3",
    "host dc1 | has_address | address 10.0.0.4",
    "host ws3 | has_address | address 10.0.0.5",
    "program ws1 tool.exe | downloaded_from | url http://cdn.example/tool.exe",
    "url http://cdn.example/tool.exe | lies_at | domain cdn.example",
    "account S-1-5-21-100-200-300-1110 | wrote | program ws1 tool.exe",
    "account S-1-5-21-100-200-300-1110 | ran | process ws1 4100 602",
    "process ws1 4100 602 | ran | program ws1 tool.exe",
    "account S-1-5-21-100-200-300-1110 | ran | process ws1 4200 603",
    "process ws1 4200 603 | ran | program ws1 cmd.exe",
    "process ws1 4100 602 | started | process ws1 4200 603",
    "process ws1 4100 602 | connected_to | address 203.0.113.9",
    "process ws1 4100 700 | ran | program ws1 notepad.exe",
    "account S-1-5-21-100-200-300-1105 | logged_on_to | host ws2",
    "account S-1-5-21-100-200-300-1105 | logged_on_from | address 10.0.0.1",
    "session ws2 | logged_on_as | account S-1-5-21-100-200-300-1105",
    "account S-1-5-21-100-200-300-1105 | set_up | service ws2 hlp",
    "program ws2 tool.exe | persists_through | service ws2 hlp",
    "program ws1 tool.exe | same_content_as | program ws2 tool.exe",
    "account S-1-5-21-100-200-300-1105 | logged_on_to | host fs1",
    "account S-1-5-21-100-200-300-1105 | logged_on_from | address 10.0.0.2",
    "account S-1-5-21-100-200-300-1105 | failed_logon | host dc1",
    "account S-1-5-21-100-200-300-1105 | failed_logon | address 10.0.0.3",
    "account S-1-5-21-900-800-700-1001 | cleared | file ws3 security",
    "host fs1 | connected_to | device 4C530001230915117142",
    "host ws1 | connected_to | device 4C530001230915117142",
    "host ws1 | connected_to | device ws1 disk&ven_z\\6&1a2b3c&0",
    "host fs1 | connected_to | device fs1 disk&ven_z\\6&1a2b3c&0",
    "account ws3: Users/x/Desktop/old.evtx ws3\\admin | cleared | file ws3: Users/x/Desktop/old.evtx system",
    "account S-1-5-21-900-800-700-1001 | ran | program ws3 a.exe",
];
