//! Software that is linked or compiled in but is not a cargo package: C libraries inside packages, the C library, Rust's own libraries.

use super::build::Build;
use super::packages::Package;
use super::target::Target;
use std::fs;
use std::path::{Path, PathBuf};

/// Third-party software in the program that is not a package.
#[derive(Debug, Clone)]
pub(super) struct Bundled {
    pub(super) name: &'static str,
    /// The version; empty if unknown.
    pub(super) version: String,
    /// An SPDX expression; `None` if only the texts state the licence.
    pub(super) licence: Option<&'static str>,
    /// Its name in vulnerability databases: `vendor:product`.
    pub(super) cpe: Option<&'static str>,
    /// The name and version of the package that includes it; `None` for the program itself.
    pub(super) within: Option<(String, String)>,
    /// A notice that must accompany it.
    pub(super) notice: Option<&'static str>,
    /// Files with its licence, in addition to those of its package.
    pub(super) files: Vec<PathBuf>,
}

impl Bundled {
    /// Returns the name and version, for people.
    pub(super) fn title(&self) -> String {
        format!("{} {}", self.name, self.version).trim_end().to_owned()
    }
}

const BLESSING: &str = "SQLite is in the public domain: its authors disclaim copyright to its source code (https://www.sqlite.org/copyright.html).";
const MITRE: &str = "© 2026 The MITRE Corporation. This work is reproduced and distributed with the permission of The MITRE Corporation.";

/// Returns all such software in the program of a target.
pub(super) fn bundled(build: &Build, target: Target, packages: &[Package]) -> Vec<Bundled> {
    let mut found: Vec<Bundled> = packages.iter().filter_map(inside).collect();
    let rust = build.sysroot();
    let documents = rust.join("share/doc/rust");
    let licence = |name: &str| documents.join("licenses").join(name);
    let library = rust.join("lib/rustlib").join(target.triple()).join("lib/self-contained/libc.a");
    found.push(Bundled {
        name: "Rust standard library",
        version: build.rustc_version(),
        licence: Some("MIT OR Apache-2.0"),
        cpe: Some("rust-lang:rust"),
        within: None,
        notice: Some("The last text names what the library itself links, with its licences."),
        files: vec![licence("MIT.txt"), licence("Apache-2.0.txt"), documents.join("COPYRIGHT-library.html")],
    });
    found.push(Bundled {
        name: "LLVM libunwind",
        version: build.llvm_version(),
        licence: Some("Apache-2.0 WITH LLVM-exception"),
        cpe: Some("llvm:llvm"),
        within: None,
        notice: None,
        files: vec![licence("Apache-2.0.txt"), licence("LLVM-exception.txt")],
    });
    found.push(Bundled {
        name: "musl libc",
        version: fs::read(library).ok().and_then(|library| musl_version(&library)).unwrap_or_default(),
        licence: Some("MIT"),
        cpe: Some("musl-libc:musl"),
        within: None,
        notice: None,
        files: vec![build.musl_copyright(target)],
    });
    found.push(Bundled {
        name: "MITRE ATT&CK (ids, names and tactics of techniques)",
        version: String::new(),
        licence: None,
        cpe: None,
        within: None,
        notice: Some(MITRE),
        files: Vec::new(),
    });
    found
}

/// Returns the C library that a package compiles.
fn inside(package: &Package) -> Option<Bundled> {
    let defined = |file: &str, name: &str| defined(&package.folder.join(file), name);
    let (name, version, licence, cpe, notice) = match package.name.as_str() {
        "libsqlite3-sys" => {
            let version = defined("sqlite3/sqlite3.h", "SQLITE_VERSION");
            ("SQLite", version, "blessing", "sqlite:sqlite", Some(BLESSING))
        }
        "zstd-sys" => {
            let version = package.version.split_once("+zstd.").map(|(_, version)| version.to_owned());
            ("Zstandard", version, "BSD-3-Clause OR GPL-2.0-only", "facebook:zstandard", None)
        }
        "libmimalloc-sys" => {
            let number = defined("c_src/mimalloc/v2/include/mimalloc.h", "MI_MALLOC_VERSION");
            let version = number
                .and_then(|number| number.parse().ok())
                .map(|number: u32| format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100));
            ("mimalloc", version, "MIT", "microsoft:mimalloc", None)
        }
        _ => return None,
    };
    Some(Bundled {
        name,
        version: version.unwrap_or_default(),
        licence: Some(licence),
        cpe: Some(cpe),
        within: Some(package.key()),
        notice,
        files: Vec::new(),
    })
}

/// Returns the value of a name defined in a header, without quotes.
fn defined(header: &Path, name: &str) -> Option<String> {
    let text = String::from_utf8_lossy(&fs::read(header).ok()?).into_owned();
    let words = text.lines().filter_map(|line| line.strip_prefix("#define "));
    let value = words.filter_map(|line| line.trim().strip_prefix(name)).find(|rest| rest.starts_with(' '))?;
    Some(value.split_whitespace().next()?.trim_matches('"').to_owned())
}

/// Finds musl's version, which its library contains as a separate text: `1.2.5`.
fn musl_version(library: &[u8]) -> Option<String> {
    let texts = library.split(|byte| *byte == 0).filter_map(|text| std::str::from_utf8(text).ok());
    let is_version = |text: &&str| {
        let parts: Vec<&str> = text.split('.').collect();
        parts.len() == 3 && parts.first() == Some(&"1") && parts.iter().all(|part| part.parse::<u8>().is_ok())
    };
    texts.into_iter().find(is_version).map(str::to_owned)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test writes its packages")]
mod tests {
    use super::*;
    use crate::dist::packages::tests::package;

    #[test]
    fn versions_of_c_libraries_are_those_of_their_sources() {
        let home = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("sqlite3/sqlite3.h", "#define SQLITE_VERSION_X 7\n#define SQLITE_VERSION        \"3.54.1\"\n");
        put("c_src/mimalloc/v2/include/mimalloc.h", "#define MI_MALLOC_VERSION 20302  // of 2.3.2\n");
        let version = |name: &str, version: &str| {
            let mut package = package(name, None, home.path());
            package.version = version.to_owned();
            inside(&package).map(|found| found.title())
        };
        assert_eq!(version("libsqlite3-sys", "0.1.0").as_deref(), Some("SQLite 3.54.1"));
        assert_eq!(version("zstd-sys", "2.1.2+zstd.1.5.7").as_deref(), Some("Zstandard 1.5.7"));
        assert_eq!(version("libmimalloc-sys", "0.1.49").as_deref(), Some("mimalloc 2.3.2"));
        assert_eq!(version("serde", "1.0.0"), None);
    }

    #[test]
    fn the_version_of_musl_is_the_text_that_is_one() {
        assert_eq!(musl_version(b"\x7fELF\0 1.2.3 \0GNU 1.2\x001.2.5\0").as_deref(), Some("1.2.5"));
        assert_eq!(musl_version(b"nothing\0"), None);
    }
}
