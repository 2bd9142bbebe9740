//! The Security Accounts Manager: local accounts, local groups and the SID of the account domain.
//!
//! Password hashes are never read.
//! Sources: Joachim Metz, winreg-kb, "Domains" (github.com/libyal/winreg-kb); the flags are the `USER_ACCOUNT` codes of [MS-SAMR] 2.2.1.12.

use crate::damage::{Damage, DamageKind};
use crate::fields::{Located, bytes, located_filetime, located_u16, located_u32, u32_at, utf16};
use crate::registry::Filetime;
use crate::sid::sid;

/// Length of the fixed part of an account's `F` value.
const ACCOUNT: usize = 80;

/// Where texts begin in an account's `V` value: after 17 descriptors of 12 bytes.
const NAMES: usize = 0xCC;

/// Where texts and members begin in a group's `C` value.
const GROUP: usize = 52;

/// The most members of a group that are read.
const MEMBERS: usize = 65_536;

/// Length of a domain's SID: four sub-authorities, the first of which is 21.
const DOMAIN_SID: usize = 24;

/// The `F` value of an account (`SAM\Domains\Account\Users\<RID>`); a field is `None` if the data ends before it.
///
/// A time of 0 means "never", and so does 0x7fffffffffffffff.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Last logon.
    pub last_logon: Option<Located<Filetime>>,
    /// When the password was last set.
    pub password_last_set: Option<Located<Filetime>>,
    /// When the account expires.
    pub expires: Option<Located<Filetime>>,
    /// Last logon that failed because of a wrong password.
    pub last_failed_logon: Option<Located<Filetime>>,
    /// Relative identifier: the last part of the SID.
    pub rid: Option<Located<u32>>,
    /// Account control flags, see [`flag_names`].
    pub flags: Option<Located<u32>>,
    /// Wrong passwords since the last correct one.
    pub failed_count: Option<Located<u16>>,
    /// Number of logons.
    pub logon_count: Option<Located<u16>>,
}

/// Texts of the `V` value of an account; an empty one is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Name of the account.
    pub name: Option<Located<String>>,
    /// Full name.
    pub full_name: Option<Located<String>>,
    /// Comment.
    pub comment: Option<Located<String>>,
    /// Comment that the user may change.
    pub user_comment: Option<Located<String>>,
    /// Home directory.
    pub home_directory: Option<Located<String>>,
    /// Drive letter of the home directory.
    pub home_drive: Option<Located<String>>,
    /// Logon script.
    pub script: Option<Located<String>>,
    /// Path of the profile.
    pub profile: Option<Located<String>>,
    /// Workstations from which the account may log on.
    pub workstations: Option<Located<String>>,
}

/// The `C` value of a local group (`SAM\Domains\<domain>\Aliases\<RID>`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Relative identifier.
    pub rid: Option<Located<u32>>,
    /// Name.
    pub name: Option<Located<String>>,
    /// Comment.
    pub comment: Option<Located<String>>,
    /// SIDs of its members.
    pub members: Vec<Located<String>>,
}

/// Reads the `F` value of an account.
pub fn account(data: &[u8]) -> (Account, Vec<Damage>) {
    let mut damage = Vec::new();
    if data.len() < ACCOUNT {
        let what = DamageKind::Length { expected: ACCOUNT, actual: data.len() };
        damage.push(Damage::at(0, what));
    }
    let account = Account {
        last_logon: located_filetime(data, 8),
        password_last_set: located_filetime(data, 24),
        expires: located_filetime(data, 32),
        last_failed_logon: located_filetime(data, 40),
        rid: located_u32(data, 48),
        flags: located_u32(data, 56),
        failed_count: located_u16(data, 64),
        logon_count: located_u16(data, 66),
    };
    (account, damage)
}

/// Reads the texts of the `V` value of an account.
pub fn names(data: &[u8]) -> (Names, Vec<Damage>) {
    let mut damage = Vec::new();
    let mut read = |at, what| text(data, at, NAMES, what, &mut damage);
    let names = Names {
        name: read(0x0C, "name"),
        full_name: read(0x18, "full name"),
        comment: read(0x24, "comment"),
        user_comment: read(0x30, "user comment"),
        home_directory: read(0x48, "home directory"),
        home_drive: read(0x54, "home drive"),
        script: read(0x60, "script path"),
        profile: read(0x6C, "profile path"),
        workstations: read(0x78, "workstations"),
    };
    (names, damage)
}

/// Reads the `C` value of a local group.
pub fn group(data: &[u8]) -> (Group, Vec<Damage>) {
    let mut damage = Vec::new();
    let rid = located_u32(data, 0);
    let name = text(data, 16, GROUP, "name", &mut damage);
    let comment = text(data, 28, GROUP, "description", &mut damage);
    let members = members(data, &mut damage);
    (Group { rid, name, comment, members }, damage)
}

/// Reads the SIDs of a group's members, which are stored one after the other.
fn members(data: &[u8], damage: &mut Vec<Damage>) -> Vec<Located<String>> {
    let mut found = Vec::new();
    let Some(count) = u32_at(data, 48).map(|count| count as usize) else { return found };
    let Some(area) = area(data, 40, GROUP, "members", damage) else { return found };
    let mut at = area.offset;
    while found.len() < count.min(MEMBERS) {
        match sid(data, at) {
            Some(member) if at + member.length <= area.offset + area.length => {
                at += member.length;
                found.push(member);
            }
            _ => {
                let (expected, actual) = (count as u64, found.len() as u64);
                damage.push(Damage::at(at, DamageKind::Field { what: "members", expected, actual }));
                return found;
            }
        }
    }
    if count > MEMBERS {
        damage.push(Damage::at(at, DamageKind::TooMany { what: "members", limit: MEMBERS }));
    }
    found
}

/// Reads the SID of the account domain: the end of the `V` value of `SAM\Domains\Account`.
pub fn domain_sid(data: &[u8]) -> Result<Located<String>, Damage> {
    let at = data.len().saturating_sub(DOMAIN_SID);
    let whole = |found: &Located<String>| found.length == DOMAIN_SID && found.value.starts_with("S-1-5-21-");
    sid(data, at).filter(whole).ok_or_else(|| {
        let (what, available) = ("SID of the domain", data.len());
        Damage::at(at, DamageKind::Outside { what, length: DOMAIN_SID, available })
    })
}

/// Returns the bytes that a descriptor points to; `None` for nothing, and if they are outside the data, which is
/// reported.
fn area(
    data: &[u8],
    at: usize,
    base: usize,
    what: &'static str,
    damage: &mut Vec<Damage>,
) -> Option<Located<()>> {
    let (Some(offset), Some(length)) = (u32_at(data, at), u32_at(data, at + 4)) else {
        damage.push(Damage::at(at, DamageKind::Outside { what, length: 8, available: data.len() }));
        return None;
    };
    let length = length as usize;
    if length == 0 {
        return None;
    }
    let start = base.saturating_add(offset as usize);
    if bytes(data, start, length).is_none() {
        damage.push(Damage::at(at, DamageKind::Outside { what, length, available: data.len() }));
        return None;
    }
    Some(Located::new((), start, length))
}

/// Returns the UTF-16 text that a descriptor points to.
fn text(
    data: &[u8],
    at: usize,
    base: usize,
    what: &'static str,
    damage: &mut Vec<Damage>,
) -> Option<Located<String>> {
    let area = area(data, at, base, what, damage)?;
    let text = utf16(bytes(data, area.offset, area.length)?, area.offset, what, damage);
    Some(Located::new(text, area.offset, area.length))
}

#[rustfmt::skip]
const FLAGS: [(u32, &str); 22] = [
    (0x0000_0001, "USER_ACCOUNT_DISABLED"),
    (0x0000_0002, "USER_HOME_DIRECTORY_REQUIRED"),
    (0x0000_0004, "USER_PASSWORD_NOT_REQUIRED"),
    (0x0000_0008, "USER_TEMP_DUPLICATE_ACCOUNT"),
    (0x0000_0010, "USER_NORMAL_ACCOUNT"),
    (0x0000_0020, "USER_MNS_LOGON_ACCOUNT"),
    (0x0000_0040, "USER_INTERDOMAIN_TRUST_ACCOUNT"),
    (0x0000_0080, "USER_WORKSTATION_TRUST_ACCOUNT"),
    (0x0000_0100, "USER_SERVER_TRUST_ACCOUNT"),
    (0x0000_0200, "USER_DONT_EXPIRE_PASSWORD"),
    (0x0000_0400, "USER_ACCOUNT_AUTO_LOCKED"),
    (0x0000_0800, "USER_ENCRYPTED_TEXT_PASSWORD_ALLOWED"),
    (0x0000_1000, "USER_SMARTCARD_REQUIRED"),
    (0x0000_2000, "USER_TRUSTED_FOR_DELEGATION"),
    (0x0000_4000, "USER_NOT_DELEGATED"),
    (0x0000_8000, "USER_USE_DES_KEY_ONLY"),
    (0x0001_0000, "USER_DONT_REQUIRE_PREAUTH"),
    (0x0002_0000, "USER_PASSWORD_EXPIRED"),
    (0x0004_0000, "USER_TRUSTED_TO_AUTHENTICATE_FOR_DELEGATION"),
    (0x0008_0000, "USER_NO_AUTH_DATA_REQUIRED"),
    (0x0010_0000, "USER_PARTIAL_SECRETS_ACCOUNT"),
    (0x0020_0000, "USER_USE_AES_KEYS"),
];

/// Returns the names of account control flags, lowest first; bits without a name are combined in one hexadecimal
/// number.
pub fn flag_names(flags: u32) -> Vec<String> {
    let set = FLAGS.iter().filter(|(bit, _)| flags & bit != 0);
    let mut names: Vec<String> = set.map(|(_, name)| (*name).to_owned()).collect();
    let rest = FLAGS.iter().fold(flags, |rest, (bit, _)| rest & !bit);
    if rest != 0 {
        names.push(format!("{rest:#010x}"));
    }
    names
}

#[cfg(test)]
mod tests;
