//! The SAM hive: accounts and groups, without password hashes.
//!
//! The layout of `F`, `V` and `C` is that of the security accounts manager in Windows 2000 and later,
//! as tools such as `samparse` of RegRipper read it.

use super::clock::Time;
use super::parts::{at, dated, local_sid_bytes, sid_bytes, utf16};
use super::story::*;
use crate::hive::{KeySpec, ValueSpec as Value};

const NEVER_EXPIRES: u64 = i64::MAX.unsigned_abs();
/// Account flags: disabled, no password required, normal account, password never expires.
const DISABLED: u32 = 0x01;
const NO_PASSWORD: u32 = 0x04;
const NORMAL: u32 = 0x10;
const ENDLESS: u32 = 0x200;

struct Account {
    rid: u32,
    name: &'static str,
    full_name: &'static str,
    comment: &'static str,
    made: Time,
    password_set: Option<Time>,
    last_logon: Option<Time>,
    wrong_password: Option<Time>,
    flags: u32,
    failures: u16,
    logons: u16,
}

/// Creates an account that came with Windows and was never used.
const fn builtin(rid: u32, name: &'static str, comment: &'static str, flags: u32) -> Account {
    Account {
        rid,
        name,
        full_name: "",
        comment,
        made: INSTALLED,
        password_set: None,
        last_logon: None,
        wrong_password: None,
        flags,
        failures: 0,
        logons: 0,
    }
}

const ACCOUNTS: [Account; 7] = [
    builtin(
        500,
        "Administrator",
        "Built-in account for administering the computer/domain",
        DISABLED | NORMAL | ENDLESS,
    ),
    builtin(
        501,
        "Guest",
        "Built-in account for guest access to the computer/domain",
        DISABLED | NO_PASSWORD | NORMAL | ENDLESS,
    ),
    builtin(
        503,
        "DefaultAccount",
        "A user account managed by the system.",
        DISABLED | NO_PASSWORD | NORMAL | ENDLESS,
    ),
    builtin(504, "WDAGUtilityAccount", "A user account managed and used by the system.", DISABLED | NORMAL),
    Account {
        full_name: MARA_NAME,
        made: ORDINARY,
        password_set: Some(ORDINARY),
        last_logon: Some(MARA_LOGON),
        wrong_password: Some(MARA_WRONG_PASSWORD),
        logons: MARA_LOGONS,
        ..builtin(MARA_RID, MARA, "Accounting", NORMAL | ENDLESS)
    },
    Account {
        full_name: "IT administration",
        password_set: Some(INSTALLED),
        last_logon: Some(IT_ADMIN_LOGON),
        logons: IT_ADMIN_LOGONS,
        ..builtin(IT_ADMIN_RID, IT_ADMIN, "", NORMAL | ENDLESS)
    },
    Account {
        made: PLANT_MADE,
        password_set: Some(PLANT_MADE),
        last_logon: Some(PLANT_LOGON),
        logons: PLANT_LOGONS,
        ..builtin(PLANT_RID, PLANT, PLANT_COMMENT, NORMAL | ENDLESS)
    },
];

/// Builds the whole hive.
pub(crate) fn root() -> KeySpec {
    let root = KeySpec::new("ROOT").path("SAM", at(INSTALLED).value(Value::binary("C", &[7, 0, 1, 0])));
    let root = root.path("SAM\\Domains\\Account", at(PLANT_MADE).value(Value::binary("V", &domain())));
    let root = ACCOUNTS.iter().fold(root, account);
    dated(groups(root), INSTALLED)
}

fn account(root: KeySpec, account: &Account) -> KeySpec {
    const USERS: &str = "SAM\\Domains\\Account\\Users";
    let changed = account.last_logon.unwrap_or(account.made);
    let record =
        at(changed).value(Value::binary("F", &fixed(account))).value(Value::binary("V", &variable(account)));
    // The RID is stored as the type of a value without data.
    let name = at(account.made).value(Value::raw("", account.rid, &[]));
    root.path(&format!("{USERS}\\{:08X}", account.rid), record)
        .path(&format!("{USERS}\\Names\\{}", account.name), name)
}

/// Builds the value `F`: 80 bytes, times first.
fn fixed(account: &Account) -> Vec<u8> {
    let time = |time: Option<Time>| time.map_or(0, Time::filetime);
    let mut data = vec![3, 0, 1, 0, 0, 0, 0, 0];
    let times = [
        time(account.last_logon),
        0,
        time(account.password_set.map(Time::key_write)),
        NEVER_EXPIRES,
        time(account.wrong_password),
    ];
    data.extend(times.iter().flat_map(|time| time.to_le_bytes()));
    data.extend([account.rid, 513, account.flags, 0].iter().flat_map(|field| field.to_le_bytes()));
    data.extend([account.failures, account.logons].iter().flat_map(|field| field.to_le_bytes()));
    data.resize(80, 0);
    data
}

/// Builds the value `V`: 17 entries of offset, length and one more number, followed by their data; offsets count from 0xCC.
fn variable(account: &Account) -> Vec<u8> {
    let text = utf16;
    // An empty hash consists only of its header.
    let no_hash = || vec![1, 0, 1, 0];
    let fields = [
        descriptor(),
        text(account.name),
        text(account.full_name),
        text(account.comment),
        vec![],
        vec![],
        vec![],
        vec![],
        vec![],
        vec![],
        vec![],
        [&[0xa8, 0, 0, 0][..], &[0xff; 21]].concat(),
        vec![],
        no_hash(),
        no_hash(),
        no_hash(),
        no_hash(),
    ];
    table(&fields)
}

fn table(fields: &[Vec<u8>]) -> Vec<u8> {
    let (mut head, mut data) = (Vec::new(), Vec::new());
    for field in fields {
        head.extend((data.len() as u32).to_le_bytes());
        head.extend((field.len() as u32).to_le_bytes());
        head.extend([0; 4]);
        data.extend(field);
        data.resize(data.len().next_multiple_of(4), 0);
    }
    head.extend(data);
    head
}

/// Builds a security descriptor without lists, owned by the administrators.
fn descriptor() -> Vec<u8> {
    let administrators = sid_bytes(&[32, 544]);
    let mut data = vec![1, 0, 0x00, 0x80];
    data.extend([20_u32, 36, 0, 0].iter().flat_map(|field| field.to_le_bytes()));
    data.extend(&administrators);
    data.extend(&administrators);
    data
}

/// Builds the value `V` of the account domain: it ends with the machine SID.
fn domain() -> Vec<u8> {
    table(&[descriptor(), utf16(HOST), vec![], sid_bytes(&[&[21][..], &MACHINE_SID].concat())])
}

fn groups(root: KeySpec) -> KeySpec {
    const ALIASES: &str = "SAM\\Domains\\Builtin\\Aliases";
    group_table().iter().fold(root, |root, (rid, name, comment, members, changed)| {
        root.path(
            &format!("{ALIASES}\\{rid:08X}"),
            at(*changed).value(Value::binary("C", &alias(*rid, name, comment, members))),
        )
        .path(&format!("{ALIASES}\\Names\\{name}"), at(INSTALLED).value(Value::raw("", *rid, &[])))
    })
}

/// The RID, name, comment, binary member SIDs and last change time of a group.
type Group = (u32, &'static str, &'static str, Vec<Vec<u8>>, Time);

fn group_table() -> [Group; 4] {
    let local = local_sid_bytes;
    [
        (
            0x220,
            "Administrators",
            "Administrators have complete and unrestricted access to the computer/domain",
            vec![local(500), local(IT_ADMIN_RID), local(PLANT_RID)],
            PLANT_MADE,
        ),
        (
            0x221,
            "Users",
            "Users are prevented from making accidental or intentional system-wide changes",
            vec![sid_bytes(&[4]), sid_bytes(&[11]), local(MARA_RID), local(IT_ADMIN_RID), local(PLANT_RID)],
            PLANT_MADE,
        ),
        (
            0x222,
            "Guests",
            "Guests have the same access as members of the Users group by default",
            vec![local(501)],
            INSTALLED,
        ),
        (
            0x22b,
            "Remote Desktop Users",
            "Members in this group are granted the right to logon remotely",
            vec![],
            INSTALLED,
        ),
    ]
}

/// Builds the value `C` of a group: the RID, then descriptor, name, comment and members, each as offset from 0x34, length and a number.
fn alias(rid: u32, name: &str, comment: &str, members: &[Vec<u8>]) -> Vec<u8> {
    let mut head = rid.to_le_bytes().to_vec();
    let mut data = Vec::new();
    let fields =
        [(descriptor(), 0), (utf16(name), 0), (utf16(comment), 0), (members.concat(), members.len() as u32)];
    for (field, number) in fields {
        let entry = [data.len() as u32, field.len() as u32, number];
        head.extend(entry.iter().flat_map(|part| part.to_le_bytes()));
        data.extend(field);
        data.resize(data.len().next_multiple_of(4), 0);
    }
    head.extend(data);
    head
}
