//! Criterion: nothing happens outside the run folder.

use ledger::Digest;
use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The files of a folder, with digests of their contents.
pub type Snapshot = BTreeMap<PathBuf, Digest>;

/// Takes a snapshot of a folder, except for these subfolders.
pub fn snapshot(folder: &Path, except: &[&Path]) -> io::Result<Snapshot> {
    let mut found = Snapshot::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            match path.symlink_metadata()? {
                _ if except.contains(&path.as_path()) => {}
                metadata if metadata.is_dir() => {
                    found.insert(path.clone(), Digest::of(b"folder"));
                    folders.push(path);
                }
                _ => drop(found.insert(path.clone(), Digest::of(&std::fs::read(&path)?))),
            }
        }
    }
    Ok(found)
}

/// Returns what was added, removed or changed between two snapshots.
pub fn changed(before: &Snapshot, after: &Snapshot) -> Vec<String> {
    let paths = before.keys().chain(after.keys().filter(|path| !before.contains_key(*path)));
    let others = paths.filter(|path| before.get(*path) != after.get(*path));
    others.map(|path| format!("{} is not as it was", path.display())).collect()
}

/// Checks whether a run stored a secret from outside the evidence.
pub fn leaked<'b>(secret: &str, stored: impl IntoIterator<Item = &'b [u8]>) -> Vec<String> {
    let holds = |bytes: &&[u8]| bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
    let times = stored.into_iter().filter(holds).count();
    if times == 0 { Vec::new() } else { vec![format!("{times} stored texts hold what stands outside")] }
}

/// A server that must not be contacted; it counts connections.
#[derive(Debug)]
pub struct Listener {
    address: SocketAddr,
    reached: Arc<AtomicUsize>,
}

impl Listener {
    /// Starts one on the loopback address; it listens until the program ends.
    pub fn new() -> io::Result<Listener> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let (address, reached) = (listener.local_addr()?, Arc::new(AtomicUsize::new(0)));
        let counted = Arc::clone(&reached);
        std::thread::spawn(move || {
            for _ in listener.incoming().flatten() {
                counted.fetch_add(1, Ordering::SeqCst);
            }
        });
        Ok(Listener { address, reached })
    }

    /// Returns its address as `host:port`.
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// Reports how often it was contacted so far.
    pub fn reached(&self) -> Vec<String> {
        match self.reached.load(Ordering::SeqCst) {
            0 => Vec::new(),
            times => vec![format!("{times} connections to {}", self.address)],
        }
    }
}
