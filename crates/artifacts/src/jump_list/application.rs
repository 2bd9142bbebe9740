//! Application identifiers, which are the names of jump list files.
//!
//! An identifier is derived from a program's path or from a name that it gives itself: the same program in
//! another place has another one.
//! Source: the list of Eric Zimmerman, JumpList ("AppIDs"), published from observation; it has programs whose
//! identifier does not depend on their version.

/// Returns the application of an identifier, if it is a common one; letter case and leading zeros do not matter.
pub fn application(id: &str) -> Option<&'static str> {
    let number = u64::from_str_radix(id, 16).ok()?;
    APPLICATIONS.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
}

const APPLICATIONS: &[(u64, &str)] = &[
    (0x012d_c1ea_8e34_b5a6, "Microsoft Paint"),
    (0x16f2_f004_2ddb_e0e8, "Windows Terminal"),
    (0x1b4d_d67f_29cb_1962, "Windows Explorer (Windows 7)"),
    (0x1bc3_92b8_e104_a00e, "Remote Desktop Connection"),
    (0x1ced_32d7_4a95_c7bc, "Microsoft Visual Studio Code"),
    (0x271e_6092_88e1_210a, "Microsoft Access 2010 (32-bit)"),
    (0x28c8_b86d_eab5_49a1, "Internet Explorer (32-bit)"),
    (0x2905_3216_0612_e071, "WinRAR"),
    (0x3353_b940_c074_fd0c, "Snipping Tool"),
    (0x44a3_621b_3212_2d64, "Microsoft Word 2010 (64-bit)"),
    (0x4975_d679_8a8b_df66, "7-Zip"),
    (0x5737_7028_3dc3_d854, "Windows Security"),
    (0x590a_ee7b_dd69_b59b, "Windows PowerShell (64-bit)"),
    (0x5d69_6d52_1de2_38c3, "Google Chrome"),
    (0x5d6f_13ed_567a_a2da, "Microsoft Outlook 2010 (64-bit)"),
    (0x5da8_f997_fd5f_9428, "Internet Explorer (64-bit)"),
    (0x5f6e_7bc0_fb69_9772, "Microsoft PowerPoint 2010 (64-bit)"),
    (0x5f7b_5f1e_01b8_3767, "Quick access"),
    (0x6728_dd69_a308_8f97, "Command Prompt (64-bit)"),
    (0x6d2b_ac8f_1edf_6668, "Microsoft Outlook 2013 and later"),
    (0x6e85_5c85_de07_bc6a, "Microsoft Excel 2010 (64-bit)"),
    (0x74d7_f43c_1561_fc1e, "Windows Media Player"),
    (0x75fd_acd8_330b_ac18, "AnyDesk"),
    (0x9b9c_dc69_c1c2_4e2b, "Notepad (64-bit)"),
    (0xccba_5a59_86c7_7e43, "Microsoft Edge"),
    (0xdd7c_3b1a_db1c_168b, "Game Bar"),
    (0xf01b_4d95_cf55_d32a, "Windows Explorer"),
    (0xf184_60fd_ed10_9990, "Connected Devices"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_found_in_any_case_and_are_sorted() {
        assert_eq!(application("F01B4D95CF55D32A"), Some("Windows Explorer"));
        assert_eq!(application("12dc1ea8e34b5a6"), Some("Microsoft Paint"));
        assert_eq!(application("not an id"), None);
        assert!(APPLICATIONS.is_sorted_by(|a, b| a.0 < b.0));
    }
}
