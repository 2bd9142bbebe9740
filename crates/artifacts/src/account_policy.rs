//! Policy of the account domain (value `F` of `SAM\Domains\Account`) and names of domains in the SECURITY hive.
//!
//! Sources: Joachim Metz, winreg-kb, "Security Accounts Manager" and "Local Security Authority"; the meaning of
//! the fields is from
//! [MS-SAMR] 2.2.3 (`DOMAIN_PASSWORD_INFORMATION`, `DOMAIN_LOCKOUT_INFORMATION`).

use crate::damage::{Damage, DamageKind};
use crate::fields::{
    Located, bytes, located_filetime, located_u16, located_u32, u16_at, u32_at, u64_at, utf16,
};
use crate::registry::Filetime;

/// Length of the part of `F` that is read.
const POLICY: usize = 0x56;

/// A duration in 100-ns ticks, stored as a negative number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period(i64);

impl Period {
    /// An unlimited duration.
    pub const NEVER: Period = Period(i64::MIN);

    /// Returns the whole seconds.
    pub const fn seconds(self) -> u64 {
        self.0.unsigned_abs() / 10_000_000
    }
}

/// The policy; a field is `None` if the data ends before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// When the domain was created.
    pub created: Option<Located<Filetime>>,
    /// How long a password is valid.
    pub maximum_age: Option<Located<Period>>,
    /// How long a password must be kept before it can be changed.
    pub minimum_age: Option<Located<Period>>,
    /// How long an account stays locked.
    pub lockout_duration: Option<Located<Period>>,
    /// The period in which wrong passwords are counted together.
    pub lockout_window: Option<Located<Period>>,
    /// Flags: 1 for complex passwords, 0x10 for reversible ones.
    pub properties: Option<Located<u32>>,
    /// Minimum length of a password.
    pub minimum_length: Option<Located<u16>>,
    /// Number of previous passwords that are remembered.
    pub history: Option<Located<u16>>,
    /// Number of wrong passwords that lock an account; 0 for never.
    pub lockout_threshold: Option<Located<u16>>,
}

/// Reads the value `F` of the account domain.
pub fn policy(data: &[u8]) -> (Policy, Vec<Damage>) {
    let mut damage = Vec::new();
    if data.len() < POLICY {
        damage.push(Damage::at(0, DamageKind::Length { expected: POLICY, actual: data.len() }));
    }
    let period = |at| {
        u64_at(data, at).map(|ticks| Located::new(Period(i64::from_le_bytes(ticks.to_le_bytes())), at, 8))
    };
    let policy = Policy {
        created: located_filetime(data, 0x08),
        maximum_age: period(0x18),
        minimum_age: period(0x20),
        lockout_duration: period(0x30),
        lockout_window: period(0x38),
        properties: located_u32(data, 0x4C),
        minimum_length: located_u16(data, 0x50),
        history: located_u16(data, 0x52),
        lockout_threshold: located_u16(data, 0x54),
    };
    (policy, damage)
}

/// Reads the name of a domain: length, capacity and offset of a text, then the text; `None` if there is no name.
pub fn name(data: &[u8]) -> (Option<Located<String>>, Vec<Damage>) {
    let mut damage = Vec::new();
    let Some((length, at)) = u16_at(data, 0).zip(u32_at(data, 4)) else {
        damage.push(Damage::at(0, DamageKind::Length { expected: 8, actual: data.len() }));
        return (None, damage);
    };
    let (length, at) = (usize::from(length), usize::try_from(at).unwrap_or(usize::MAX));
    match bytes(data, at, length) {
        Some(text) if length > 0 => {
            let text = utf16(text, at, "name", &mut damage);
            (Some(Located::new(text, at, length)), damage)
        }
        Some(_) => (None, damage),
        None => {
            damage.push(Damage::at(0, DamageKind::Outside { what: "name", length, available: data.len() }));
            (None, damage)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_policy_has_numbers_and_periods() {
        let mut data = vec![0; 0x60];
        data[0x18..0x20].copy_from_slice(&(-42 * 86_400 * 10_000_000_i64).to_le_bytes());
        data[0x30..0x38].copy_from_slice(&i64::MIN.to_le_bytes());
        (data[0x4C], data[0x50], data[0x52], data[0x54]) = (1, 8, 24, 5);
        let (policy, damage) = policy(&data);
        assert!(damage.is_empty());
        assert_eq!(policy.maximum_age.unwrap().value.seconds(), 42 * 86_400);
        assert_eq!(policy.lockout_duration.unwrap().value, Period::NEVER);
        assert_eq!(policy.minimum_length, Some(Located::new(8, 0x50, 2)));
        assert_eq!((policy.history.unwrap().value, policy.lockout_threshold.unwrap().value), (24, 5));
        assert_eq!(super::policy(&data[..0x51]).1.len(), 1);
    }

    #[test]
    fn a_name_stands_where_its_descriptor_says() {
        let data = [4, 0, 6, 0, 8, 0, 0, 0, 0x57, 0, 0x4B, 0];
        assert_eq!(name(&data).0, Some(Located::new("WK".to_owned(), 8, 4)));
        assert_eq!(name(&data[..10]).1.len(), 1);
        assert_eq!(name(&[0; 8]), (None, Vec::new()));
        assert_eq!(name(&[0; 3]).1.len(), 1);
    }

    proptest! {
        #[test]
        fn nothing_panics(data in proptest::collection::vec(any::<u8>(), 0..120)) {
            let _ = policy(&data);
            let _ = name(&data);
        }
    }
}
