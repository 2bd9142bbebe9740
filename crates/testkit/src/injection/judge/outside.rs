//! Criterion: nothing happens outside of the run folder.

use ledger::Digest;
use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The files of a folder and what is in them.
pub type Snapshot = BTreeMap<PathBuf, Digest>;

/// What stands below a folder, but for these folders below it.
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

/// What came, went or was changed between two looks.
pub fn changed(before: &Snapshot, after: &Snapshot) -> Vec<String> {
    let paths = before.keys().chain(after.keys().filter(|path| !before.contains_key(*path)));
    let others = paths.filter(|path| before.get(*path) != after.get(*path));
    others.map(|path| format!("{} is not as it was", path.display())).collect()
}

/// Whether a secret that stands outside of the evidence stands in what a run stored.
pub fn leaked<'b>(secret: &str, stored: impl IntoIterator<Item = &'b [u8]>) -> Vec<String> {
    let holds = |bytes: &&[u8]| bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
    let times = stored.into_iter().filter(holds).count();
    if times == 0 { Vec::new() } else { vec![format!("{times} stored texts hold what stands outside")] }
}

/// A server that nobody should reach; it counts who does.
#[derive(Debug)]
pub struct Listener {
    address: SocketAddr,
    reached: Arc<AtomicUsize>,
}

impl Listener {
    /// One on the loopback address; it listens until the program ends.
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

    /// Where it is, as `host:port`.
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// How often somebody connected so far.
    pub fn reached(&self) -> Vec<String> {
        match self.reached.load(Ordering::SeqCst) {
            0 => Vec::new(),
            times => vec![format!("{times} connections to {}", self.address)],
        }
    }
}
