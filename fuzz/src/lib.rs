//! What every fuzz target does with its bytes.
//!
//! The path is that of the decoder's sample, because some decoders look at it; content and name need not fit.

use std::path::PathBuf;
use std::sync::{Once, OnceLock};

/// Most records that one call of a registry tool gives: more would only cost time.
const MOST: u64 = 1000;

/// libFuzzer's hook aborts at every panic, also at one that our own guards catch; one that comes through still aborts.
fn let_guards_catch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| std::panic::set_hook(Box::new(|info| eprintln!("{info}"))));
}

/// Decodes these bytes by the decoder that `LOCARD_DECODER` names.
pub fn decode(bytes: &[u8]) {
    let_guards_catch();
    static DECODER: OnceLock<(String, String)> = OnceLock::new();
    let (decoder, path) = DECODER.get_or_init(|| {
        let decoder = std::env::var("LOCARD_DECODER").unwrap_or_default();
        let decoders = tools::decoders();
        assert!(decoders.contains(&decoder.as_str()), "LOCARD_DECODER is {decoder:?}, and must be one of {decoders:?}");
        let sample = testkit::samples::samples().into_iter().find(|sample| sample.decoder == decoder);
        let path = sample.map(|sample| sample.path.to_owned()).unwrap_or_else(|| "file".to_owned());
        (decoder, path)
    });
    let _ = tools::decode_bytes(decoder, path, bytes, &scratch());
}

/// Reads these bytes as a hive: its records, its free space, and what the tools make of both.
pub fn hive(bytes: &[u8]) {
    let_guards_catch();
    let path = "Windows/System32/config/SYSTEM";
    let Ok(file) = evidence::EvidencePath::parse(path) else { return };
    let tree = evidence::memory_tree("memory", [(file, bytes.into())]);
    let trees: [Box<dyn evidence::Tree>; 1] = [Box::new(tree)];
    let search = serde_json::json!({ "hive": path, "text": "e", "in": "any", "limit": MOST });
    let deleted = serde_json::json!({ "hive": path, "limit": MOST });
    for (tool, arguments) in [("search_registry", search), ("deleted_registry", deleted)] {
        let _ = tools::run(tool, &arguments, &trees, &scratch());
    }
}

/// An empty folder for those that write databases into one; what a call left is gone.
fn scratch() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("locard-fuzz-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let _ = std::fs::create_dir_all(&folder);
    folder
}
