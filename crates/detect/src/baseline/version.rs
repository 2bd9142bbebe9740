//! Versions of Windows, as in entries of the baseline.
//!
//! Numbers: Microsoft Learn, "Operating System Version" (kernels) and "Windows 11 release information" (builds).

use serde::Deserialize;

/// The first build of Windows 11, and of the servers with its kernel.
const ELEVEN: u32 = 22_000;

/// A version of Windows with all servers of the same kernel, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
pub enum Generation {
    /// Windows XP, Server 2003.
    #[serde(rename = "XP")]
    Xp,
    /// Windows Vista, Server 2008.
    Vista,
    /// Windows 7, Server 2008 R2.
    #[serde(rename = "7")]
    Seven,
    /// Windows 8, Server 2012.
    #[serde(rename = "8")]
    Eight,
    /// Windows 8.1, Server 2012 R2.
    #[serde(rename = "8.1")]
    EightOne,
    /// Windows 10, Server 2016, 2019 and 2022.
    #[serde(rename = "10")]
    Ten,
    /// Windows 11, Server 2025.
    #[serde(rename = "11")]
    Eleven,
}

/// The Windows that is examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Windows {
    /// Its version.
    pub generation: Generation,
    /// Whether it is a server.
    pub is_server: bool,
}

/// The computers that an edition is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Edition {
    /// Users' computers.
    Client,
    /// Servers.
    Server,
}

impl Windows {
    /// Returns the Windows of a build such as `19045`; the product name says whether it is a server.
    /// `None` for a build before XP.
    pub fn of_build(build: u32, product_name: &str) -> Option<Windows> {
        let generation = match build {
            ..2600 => return None,
            2600..6000 => Generation::Xp,
            6000..7600 => Generation::Vista,
            7600..9200 => Generation::Seven,
            9200..9600 => Generation::Eight,
            9600..10_240 => Generation::EightOne,
            10_240..ELEVEN => Generation::Ten,
            ELEVEN.. => Generation::Eleven,
        };
        let is_server = product_name.split_whitespace().any(|word| word.eq_ignore_ascii_case("server"));
        Some(Windows { generation, is_server })
    }
}

impl Generation {
    /// All versions, oldest first.
    pub const ALL: [Generation; 7] = [
        Generation::Xp,
        Generation::Vista,
        Generation::Seven,
        Generation::Eight,
        Generation::EightOne,
        Generation::Ten,
        Generation::Eleven,
    ];

    /// Returns its name in the data.
    pub const fn name(self) -> &'static str {
        match self {
            Generation::Xp => "XP",
            Generation::Vista => "Vista",
            Generation::Seven => "7",
            Generation::Eight => "8",
            Generation::EightOne => "8.1",
            Generation::Ten => "10",
            Generation::Eleven => "11",
        }
    }
}
