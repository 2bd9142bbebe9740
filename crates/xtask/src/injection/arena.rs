//! The folder of a campaign in which one case is tried: a copy of its evidence, twins made of it, and what orders name outside of them.

use std::io;
use std::path::{Path, PathBuf};
use testkit::injection::judge::Listener;
use testkit::injection::{Order, Planted, Planting, Side, plant};

/// What stands outside of the evidence, and must stand in no run.
pub(super) const SECRET: &str = "kingfisher-over-the-mill-pond";

/// Where a case's evidence comes from.
pub(super) enum Evidence<'a> {
    /// The demo's drive.
    Demo,
    /// A folder.
    Folder(&'a Path),
}

/// The folder.
pub(super) struct Arena {
    /// Its name, which is the case's.
    pub(super) name: String,
    /// Where it is.
    pub(super) folder: PathBuf,
    /// Who must not be reached.
    pub(super) listener: Listener,
    computer: String,
}

impl Arena {
    /// Copies the evidence into a new arena below this folder.
    pub(super) fn new(place: &Path, evidence: Evidence<'_>) -> io::Result<Arena> {
        let name = match evidence {
            Evidence::Demo => "demo".to_owned(),
            Evidence::Folder(folder) => name_of(folder),
        };
        let folder = place.join(&name);
        let base = folder.join("base");
        match evidence {
            Evidence::Demo => demo(&base)?,
            Evidence::Folder(from) => copy(from, &base)?,
        }
        std::fs::create_dir_all(folder.join("outside"))?;
        write(&folder.join("outside/secret.txt"), SECRET.as_bytes())?;
        let computer = if matches!(evidence, Evidence::Demo) { "ALDER-07" } else { "KESTREL-PC" }.to_owned();
        Ok(Arena { name, folder, listener: Listener::new()?, computer })
    }

    /// Where runs and what workers need are; they are no part of what must stay as it is.
    pub(super) fn runs(&self) -> PathBuf {
        self.folder.join("runs")
    }

    /// Scratch folders of workers.
    pub(super) fn scratch(&self) -> PathBuf {
        self.folder.join("scratch")
    }

    /// Makes a twin with these orders, or without them, in place of the last one of its side.
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

/// What a case is called: a folder named `evidence` says less than that around it.
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

/// Copies folders and files; a link is left out.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    each(from, to, &|from, to| std::fs::copy(from, to).map(drop))
}

/// The same without copying a byte: whoever changes a file of it takes a new one.
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
