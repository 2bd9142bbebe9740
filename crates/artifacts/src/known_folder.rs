//! Known folders: the meaning of folder GUIDs.
//!
//! Source: Microsoft, "KNOWNFOLDERID" (learn.microsoft.com/windows/win32/shell/knownfolderid) and `KnownFolders.h`;
//! the class identifiers of shell folders from Joachim Metz, "Windows Shell Item format specification"
//! (github.com/libyal/libfwsi).

/// A folder identified by a GUID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownFolder {
    /// Its name, as Microsoft's `FOLDERID_` constants spell it, or that of the shell folder.
    pub name: &'static str,
    /// The path, if it is the same on every computer except for its variables.
    ///
    /// Given only for folders of the category "fixed", which cannot be redirected,
    /// and of these only if 32-bit and 64-bit hosts agree:
    /// the meaning of `SystemX86` and `ProgramFilesX86` depends on the host.
    pub path: Option<&'static str>,
}

struct Entry(u128, &'static str, Option<&'static str>);

/// Returns the folder of a GUID, written with or without braces, in any case.
pub fn find(guid: &str) -> Option<KnownFolder> {
    let number = number(guid)?;
    let found = FOLDERS.iter().find(|entry| entry.0 == number)?;
    Some(KnownFolder { name: found.1, path: found.2 })
}

/// Splits a path that begins with a GUID in braces into the GUID and the rest.
pub fn split(path: &str) -> Option<(&str, &str)> {
    let end = path.strip_prefix('{')?.find('}')? + 2;
    let (guid, rest) = path.split_at_checked(end)?;
    number(guid)?;
    (rest.is_empty() || rest.starts_with('\\')).then_some((guid, rest))
}

/// Parses a GUID to one number, for comparison.
fn number(guid: &str) -> Option<u128> {
    let inner = guid.strip_prefix('{').map_or(Some(guid), |rest| rest.strip_suffix('}'))?;
    let groups: Vec<&str> = inner.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    if lengths != [8, 4, 4, 4, 12] || !groups.iter().all(|g| g.bytes().all(|b| b.is_ascii_hexdigit())) {
        return None;
    }
    u128::from_str_radix(&groups.concat(), 16).ok()
}

#[rustfmt::skip]
const FOLDERS: &[Entry] = &[
    // Fixed, and the same on 32-bit and 64-bit hosts.
    Entry(0xF38BF404_1D43_42F2_9305_67DE0B28FC23, "Windows", Some("%windir%")),
    Entry(0x1AC14E77_02E7_4E5D_B744_2EB1AE5198B7, "System", Some("%windir%\\system32")),
    Entry(0x905E63B6_C1BF_494E_B29C_65B732D3D21A, "ProgramFiles", Some("%ProgramFiles%")),
    Entry(0x6D809377_6AF0_444B_8957_A3773F02200E, "ProgramFilesX64", Some("%ProgramFiles%")),
    Entry(0xF7F1ED05_9F6D_47A2_AAAE_29D317C6F066, "ProgramFilesCommon", Some("%ProgramFiles%\\Common Files")),
    Entry(0x6365D5A7_0F0D_45E5_87F6_0DA56B6A4F7D, "ProgramFilesCommonX64", Some("%ProgramFiles%\\Common Files")),
    Entry(0x62AB5D82_FDC1_4DC3_A9DD_070D1D495D97, "ProgramData", Some("%ProgramData%")),
    Entry(0x5E6C858F_0E22_4760_9AFE_EA3317B67173, "Profile", Some("%USERPROFILE%")),
    Entry(0xDFDF76A2_C82A_4D63_906A_5644AC457385, "Public", Some("%PUBLIC%")),
    Entry(0xFD228CB7_AE11_4AE3_864C_16F3910AB8FE, "Fonts", Some("%windir%\\Fonts")),
    // Fixed, but different on 32-bit and 64-bit hosts.
    Entry(0xD65231B0_B2F1_4857_A4CE_A8E7C6EA7D27, "SystemX86", None),
    Entry(0x7C5A40EF_A0FB_4BFC_874A_C0F2E0B9FA8E, "ProgramFilesX86", None),
    Entry(0xDE974D24_D9C6_4D3E_BF91_F4455120B917, "ProgramFilesCommonX86", None),
    // Can be redirected.
    Entry(0xB4BFCC3A_DB2C_424C_B029_7FE99A87C641, "Desktop", None),
    Entry(0xC4AA340D_F20F_4863_AFEF_F87EF2E6BA25, "PublicDesktop", None),
    Entry(0xFDD39AD0_238F_46AF_ADB4_6C85480369C7, "Documents", None),
    Entry(0xED4824AF_DCE4_45A8_81E2_FC7965083634, "PublicDocuments", None),
    Entry(0x374DE290_123F_4565_9164_39C4925E467B, "Downloads", None),
    Entry(0x3D644C9B_1FB8_4F30_9B45_F670235F79C0, "PublicDownloads", None),
    Entry(0x33E28130_4E1E_4676_835A_98395C3BC3BB, "Pictures", None),
    Entry(0x4BD8D571_6D19_48D3_BE97_422220080E43, "Music", None),
    Entry(0x18989B1D_99B5_455B_841C_AB7C74E4DDFC, "Videos", None),
    Entry(0x1777F761_68AD_4D8A_87BD_30B759FA33DD, "Favorites", None),
    Entry(0x3EB685DB_65F9_4CF6_A03A_E3EF65729F3D, "RoamingAppData", None),
    Entry(0xF1B32785_6FBA_4FCF_9D55_7B8E7F157091, "LocalAppData", None),
    Entry(0xA520A1A4_1780_4FF6_BD18_167343C5AF16, "LocalAppDataLow", None),
    Entry(0xAE50C081_EBD2_438A_8655_8A092E34987A, "Recent", None),
    Entry(0x8983036C_27C0_404B_8F08_102D10DCFD74, "SendTo", None),
    Entry(0x625B53C3_AB48_4EC1_BA1F_A1EF4146FC19, "StartMenu", None),
    Entry(0xA4115719_D62E_491D_AA7C_E74B8BE3B067, "CommonStartMenu", None),
    Entry(0xA77F5D77_2E2B_44C3_A6A2_ABA601054A51, "Programs", None),
    Entry(0x0139D44E_6AFE_49F2_8690_3DAFCAE6FFB8, "CommonPrograms", None),
    Entry(0xB97D20BB_F46A_4C97_BA10_5E3608430854, "Startup", None),
    Entry(0x82A5EA35_D9CD_47C5_9629_E15D2F714E6E, "CommonStartup", None),
    Entry(0x724EF170_A42D_4FEF_9F26_B60E846FBA4F, "AdminTools", None),
    Entry(0xD0384E7D_BAC3_4797_8F14_CBA229B392B5, "CommonAdminTools", None),
    Entry(0x52A4F021_7B75_48A9_9F6B_4B87A210BC8F, "QuickLaunch", None),
    Entry(0x9E3995AB_1F9C_4F13_B827_48B24B6C7174, "UserPinned", None),
    Entry(0xBCB5256F_79F6_4CEE_B725_DC34E402FD46, "ImplicitAppShortcuts", None),
    Entry(0xA302545D_DEFF_464B_ABE8_61C8648D939B, "UsersLibraries", None),
    Entry(0x7B0DB17D_9CD2_4A93_9733_46CC89022E7C, "DocumentsLibrary", None),
    Entry(0x2112AB0A_C86A_4FFE_A368_0DE96E47012E, "MusicLibrary", None),
    Entry(0xA990AE9F_A03B_4E80_94BC_9912D7504104, "PicturesLibrary", None),
    Entry(0x491E922F_5643_4AF4_A7EB_4E7A138D8174, "VideosLibrary", None),
    // Shell folders that are not in a file system.
    Entry(0x20D04FE0_3AEA_1069_A2D8_08002B30309D, "My Computer", None),
    Entry(0x450D8FBA_AD25_11D0_98A8_0800361B1103, "My Documents", None),
    Entry(0x208D2C60_3AEA_1069_A2D7_08002B30309D, "Network Places", None),
    Entry(0xF02C1A0D_BE21_4350_88B0_7367FC96EF3C, "Network", None),
    Entry(0x645FF040_5081_101B_9F08_00AA002F954E, "Recycle Bin", None),
    Entry(0x59031A47_3F72_44A7_89C5_5595FE6B30EE, "User's Files", None),
    Entry(0x031E4825_7B94_4DC3_B131_E946B44C8DD5, "Libraries", None),
    Entry(0x679F85CB_0220_4080_B29B_5540CC05AAB6, "Quick access", None),
    Entry(0x21EC2020_3AEA_1069_A2DD_08002B30309D, "Control Panel", None),
    Entry(0x26EE0668_A00A_44D7_9371_BEB064C98683, "Control Panel", None),
    Entry(0x871C5380_42A0_1069_A2EA_08002B30309D, "Internet Explorer", None),
    Entry(0xD3162B92_9365_467A_956B_92703ACA08AF, "Documents", None),
    Entry(0xA8CDFF1C_4878_43BE_B5FD_F8091C1C60D0, "Documents", None),
    Entry(0x088E3905_0323_4B02_9826_5D99428E115F, "Downloads", None),
    Entry(0x24AD3AD4_A569_4530_98E1_AB02F9417AA8, "Pictures", None),
    Entry(0x3ADD1653_EB32_4CB0_BBD7_DFA0ABB5ACCA, "Pictures", None),
    Entry(0x3DFDF296_DBEC_4FB4_81D1_6A3438BCF4DE, "Music", None),
    Entry(0x1CF1260C_4DD0_4EBB_811F_33C572699FDE, "Music", None),
    Entry(0xF86FA3AB_70D2_4FC7_9C99_FCBF05467F3A, "Videos", None),
    Entry(0xA0953C92_50DC_43BF_BE83_3742FED03C9C, "Videos", None),
    Entry(0x0DB7E03F_FC29_4DC6_9020_FF41B59E513A, "3D Objects", None),
    Entry(0x018D5C66_4533_4307_9B53_224DE2ED1FE6, "OneDrive", None),
    Entry(0xBB06C0E4_D293_4F75_8A90_CB05B6477EEE, "System", None),
    Entry(0x7B81BE6A_CE2B_4676_A29E_EB907A5126C5, "Programs and Features", None),
    Entry(0xD20EA4E1_3957_11D2_A40B_0C5020524153, "Administrative Tools", None),
    Entry(0x7007ACC7_3202_11D1_AAD2_00805FC1270E, "Network Connections", None),
    Entry(0x8E908FC9_BECC_40F6_915B_F4CA0E70D03D, "Network and Sharing Center", None),
    Entry(0x60632754_C523_4B62_B45C_4172DA012619, "User Accounts", None),
    Entry(0x4026492F_2F69_46B8_B9BF_5654FC07E423, "Windows Firewall", None),
    Entry(0xA8A91A66_3A7D_4424_8D24_04E180695C7A, "Devices and Printers", None),
    Entry(0x2227A280_3AEA_1069_A2DE_08002B30309D, "Printers", None),
    Entry(0x36EEF7DB_88AD_4E81_AD49_0E313F0C35F8, "Windows Update", None),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guids_are_found_in_any_spelling() {
        for guid in ["{F38BF404-1D43-42F2-9305-67DE0B28FC23}", "f38bf404-1d43-42f2-9305-67de0b28fc23"] {
            assert_eq!(find(guid).unwrap().path, Some("%windir%"));
        }
        for no_guid in
            ["", "{}", "{F38BF404-1D43-42F2-9305-67DE0B28FC23", "+38BF404-1D43-42F2-9305-67DE0B28FC23"]
        {
            assert_eq!(find(no_guid), None, "{no_guid}");
        }
    }

    #[test]
    fn folders_that_depend_on_the_host_have_no_path() {
        for guid in ["{D65231B0-B2F1-4857-A4CE-A8E7C6EA7D27}", "{7C5A40EF-A0FB-4BFC-874A-C0F2E0B9FA8E}"] {
            let folder = find(guid).unwrap();
            assert!(folder.name.ends_with("X86"));
            assert_eq!(folder.path, None);
        }
    }

    #[test]
    fn a_path_is_split_behind_its_guid() {
        let guid = "{F38BF404-1D43-42F2-9305-67DE0B28FC23}";
        assert_eq!(split(&format!("{guid}\\a\\b")), Some((guid, "\\a\\b")));
        assert_eq!(split(guid), Some((guid, "")));
        for no_guid in [format!("{guid}x"), "{x}\\a".to_owned(), "C:\\a".to_owned()] {
            assert_eq!(split(&no_guid), None, "{no_guid}");
        }
    }

    #[test]
    fn no_guid_stands_there_twice() {
        let mut numbers: Vec<u128> = FOLDERS.iter().map(|entry| entry.0).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), FOLDERS.len());
    }
}
