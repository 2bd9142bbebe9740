//! Accounts, groups and rights.

use super::writers::SECURITY;
use super::{BY, Map, Rule, rule};

const ACCOUNT: Map = &[
    ("TargetUserName", "account"),
    ("NewTargetUserName", "account"),
    ("OldTargetUserName", "old_name"),
    ("TargetDomainName", "domain"),
    ("TargetSid", "sid"),
];
/// In an event about a locked account, the domain is the computer from which the logon was tried.
const LOCKED: Map =
    &[("TargetUserName", "account"), ("TargetDomainName", "workstation"), ("TargetSid", "sid")];
const ASKED: Map =
    &[("TargetUserName", "account"), ("TargetDomainName", "domain"), ("Workstation", "workstation")];
const MEMBER: Map = &[
    ("TargetUserName", "group"),
    ("TargetDomainName", "domain"),
    ("TargetSid", "sid"),
    ("MemberName", "member"),
    ("MemberSid", "member_sid"),
];
const GROUP: Map = &[
    ("TargetUserName", "group"),
    ("TargetDomainName", "domain"),
    ("TargetSid", "sid"),
    ("SamAccountName", "name"),
    ("GroupTypeChange", "change"),
];
const LISTED: Map = &[
    ("TargetUserName", "account"),
    ("TargetDomainName", "domain"),
    ("TargetSid", "sid"),
    ("CallerProcessName", "image"),
    ("CallerProcessId", "pid"),
];
const RIGHT: Map = &[
    ("TargetSid", "sid"),
    ("PrivilegeList", "rights"),
    ("AccessGranted", "rights"),
    ("AccessRemoved", "rights"),
];

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    rule(&SECURITY, &[4720, 4741], "account_changed", "created", &[ACCOUNT, BY]),
    rule(&SECURITY, &[4722], "account_changed", "enabled", &[ACCOUNT, BY]),
    rule(&SECURITY, &[4723], "account_changed", "password change tried", &[ACCOUNT, BY]),
    rule(&SECURITY, &[4724], "account_changed", "password reset tried", &[ACCOUNT, BY]),
    rule(&SECURITY, &[4725], "account_changed", "disabled", &[ACCOUNT, BY]),
    rule(&SECURITY, &[4726, 4743], "account_changed", "deleted", &[ACCOUNT, BY]),
    rule(&SECURITY, &[4738, 4742], "account_changed", "changed", &[ACCOUNT, BY]),
    rule(&SECURITY, &[4740], "account_changed", "locked out", &[LOCKED, BY]),
    rule(&SECURITY, &[4767], "account_changed", "unlocked", &[ACCOUNT, BY]),
    rule(&SECURITY, &[4781], "account_changed", "renamed", &[ACCOUNT, BY]),
    rule(&SECURITY, &[4765], "account_changed", "SID history added", &[ACCOUNT, BY]),
    rule(&SECURITY, &[4766], "account_changed", "SID history refused", &[ACCOUNT, BY]),
    rule(&SECURITY, &[4780], "account_changed", "permissions set to those of administrators", &[ACCOUNT, BY]),
    rule(&SECURITY, &[4782], "account_changed", "password hash read", &[ACCOUNT, BY]),
    rule(&SECURITY, &[4793], "account_changed", "password policy asked for", &[ASKED, BY]),
    rule(&SECURITY, &[4797], "account_changed", "blank password asked for", &[ASKED, BY]),
    rule(&SECURITY, &[4728, 4732, 4756, 4746, 4751, 4761], "group_member_added", "", &[MEMBER, BY]),
    rule(&SECURITY, &[4729, 4733, 4757, 4747, 4752, 4762], "group_member_removed", "", &[MEMBER, BY]),
    rule(&SECURITY, &[4727, 4731, 4744, 4749, 4754, 4759], "group_changed", "created", &[GROUP, BY]),
    rule(&SECURITY, &[4730, 4734, 4748, 4753, 4758, 4763], "group_changed", "deleted", &[GROUP, BY]),
    rule(&SECURITY, &[4735, 4737, 4745, 4750, 4755, 4760, 4764], "group_changed", "changed", &[GROUP, BY]),
    rule(&SECURITY, &[4798], "membership_listed", "groups of an account listed", &[LISTED, BY]),
    rule(&SECURITY, &[4799], "membership_listed", "members of a group listed", &[LISTED, BY]),
    rule(&SECURITY, &[4704, 4717], "right_changed", "granted", &[RIGHT, BY]),
    rule(&SECURITY, &[4705, 4718], "right_changed", "removed", &[RIGHT, BY]),
];
