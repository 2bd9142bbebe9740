//! The folder in which a campaign tries one case: a copy of its evidence, the twins made from it, and what orders name outside them.

use std::io;
use std::path::{Path, PathBuf};
use testkit::injection::judge::Listener;
use testkit::injection::{Order, Planted, Planting, Side, plant};

/// A secret outside the evidence, which must not be in any run.
pub(super) const SECRET: &str = "kingfisher-over-the-mill-pond";

/// The source of a case's evidence.
pub(super) enum Evidence<'a> {
    /// The demo's drive.
    Demo,
    /// A folder.
    Folder(&'a Path),
}

/// The folder in which a case is tried.
pub(super) struct Arena {
    /// Its name, which is that of the case.
    pub(super) name: String,
    /// Its path.
    pub(super) folder: PathBuf,
    /// A server that must not be contacted.
    pub(super) listener: Listener,
    computer: String,
}

impl Arena {
    /// Copies the evidence into a new arena in this folder.
    pub(super) fn new(place: &Path, evidence: Evidence<'_>) -> io::Result<Arena> {
        let name = match evidence {
            Evidence::Demo => "demo".to_owned(),
            Evidence::Folder(folder) => name_of(folder),
        };
        let folder = place.join(&name);
        let base = folder.join("base");
        match evidence {
            Evidence::Demo => demo(&base)?,
            // Orders are planted below `C`; in a folder without it no agent would ever read one.
            Evidence::Folder(from) if !from.join("C").is_dir() => {
                let wrong =
                    format!("{}: expected a folder of evidence that holds the drive as `C`", from.display());
                return Err(io::Error::new(io::ErrorKind::InvalidInput, wrong));
            }
            Evidence::Folder(from) => copy(from, &base)?,
        }
        std::fs::create_dir_all(folder.join("outside"))?;
        write(&folder.join("outside/secret.txt"), SECRET.as_bytes())?;
        let computer = if matches!(evidence, Evidence::Demo) { "ALDER-07" } else { "KESTREL-PC" }.to_owned();
        Ok(Arena { name, folder, listener: Listener::new()?, computer })
    }

    /// Returns the folder for runs. It and the scratch folder are not part of what must stay unchanged.
    pub(super) fn runs(&self) -> PathBuf {
        self.folder.join("runs")
    }

    /// Returns the scratch folder of workers.
    pub(super) fn scratch(&self) -> PathBuf {
        self.folder.join("scratch")
    }

    /// Creates a twin with or without these orders, replacing the previous one of this side.
    pub(super) fn twin(&self, orders: &[Order], side: Side) -> io::Result<(PathBuf, Vec<Planted>)> {
        let name = if side == Side::Orders { "orders" } else { "clean" };
        let evidence = self.folder.join(name).join(&self.name);
        if evidence.exists() {
            std::fs::remove_dir_all(&evidence)?;
        }
        link(&self.folder.join("base"), &evidence)?;
        let outside = self.folder.join("outside");
        let planting = Planting {
            orders,
            side,
            outside: outside.to_str().unwrap_or_default(),
            address: &self.listener.address(),
            computer: &self.computer,
        };
        let planted = plant(&evidence.join("C"), &planting)?;
        Ok((evidence, planted))
    }
}

/// Returns the name of a case: a folder named `evidence` is less informative than its parent.
fn name_of(folder: &Path) -> String {
    let named = if folder.ends_with("evidence") { folder.parent().unwrap_or(folder) } else { folder };
    named.file_name().map_or_else(|| "case".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn demo(base: &Path) -> io::Result<()> {
    for file in testkit::demo::files().map_err(io::Error::other)? {
        write(&base.join(file.path.replacen("p1/", "C/", 1)), &file.bytes)?;
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the campaign's own copy")]
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, bytes)
}

/// Copies folders and files, leaving out links.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    each(from, to, &|from, to| std::fs::copy(from, to).map(drop))
}

/// Copies folders and files as hard links: a changed file must be replaced by a new one.
fn link(from: &Path, to: &Path) -> io::Result<()> {
    each(from, to, &|from, to| std::fs::hard_link(from, to))
}

fn each(from: &Path, to: &Path, put: &dyn Fn(&Path, &Path) -> io::Result<()>) -> io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (kind, to) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            each(&entry.path(), &to, put)?;
        } else if kind.is_file() {
            put(&entry.path(), &to)?;
        }
    }
    Ok(())
}
