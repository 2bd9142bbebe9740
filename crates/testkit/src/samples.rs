//! One good file of each format that is decoded: what tests, mutations and fuzz targets begin with.

use crate::{demo, ese, recycle_bin};

/// The time that samples carry: 2012-04-04T01:58:40.8392490Z.
pub const TICKS: u64 = 129_779_783_208_392_490;

/// A file as it stands on a Windows volume.
pub struct Sample {
    /// The decoder that reads it.
    pub decoder: &'static str,
    /// Its path from the root of the volume.
    pub path: &'static str,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// At least one for each decoder, sorted by decoder.
pub fn samples() -> Vec<Sample> {
    let [history, places] = demo::browser_databases().unwrap_or_default();
    let sample = |decoder, path, bytes| Sample { decoder, path, bytes };
    vec![
        sample(
            "chromium_history",
            "Users/ann/AppData/Local/Google/Chrome/User Data/Default/History",
            history,
        ),
        sample("ese_database", "ProgramData/plain.edb", ese::plain()),
        sample(
            "firefox_history",
            "Users/ann/AppData/Roaming/Mozilla/Firefox/Profiles/a1.default/places.sqlite",
            places,
        ),
        sample(
            "recycle_bin",
            "$Recycle.Bin/S-1-5-21-1-2-3-1001/$IA1B2C3.txt",
            recycle_bin::dollar_i("C:\\Users\\ann\\old notes.txt", 4096, TICKS),
        ),
        sample("srum", "Windows/System32/sru/SRUDB.dat", ese::srum()),
        sample(
            "web_cache",
            "Users/ann/AppData/Local/Microsoft/Windows/WebCache/WebCacheV01.dat",
            ese::web_cache(TICKS),
        ),
    ]
}
