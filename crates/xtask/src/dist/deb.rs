//! The Debian package (deb(5)); it depends on no other, because the program is static.

use super::ar::ar;
use super::archive::gzip;
use super::materials::{Entry, Materials};
use super::tar::tar;
use super::{Artifact, DistError};
use md5::{Digest as _, Md5};
use std::fmt::Write;

/// The maintainer's name. It is not a real address: no mail is read there.
const MAINTAINER: &str = "Locard maintainers <maintainers@locard.invalid>";

const DOCUMENTS: &str = "usr/share/doc/locard";

/// Builds the package of a target.
pub(super) fn package(materials: &Materials) -> Result<Artifact, DistError> {
    let files = files(materials)?;
    let control =
        [Entry::plain("control", control(materials, &files)), Entry::plain("md5sums", md5sums(&files))];
    let control = gzip(&tar("./", &control, materials.time)?)?;
    let data = gzip(&tar("./", &files, materials.time)?)?;
    let members: [(&str, &[u8]); 3] =
        [("debian-binary", b"2.0\n"), ("control.tar.gz", &control), ("data.tar.gz", &data)];
    let name = format!("locard_{}_{}.deb", materials.version, materials.target.debian());
    Ok(Artifact { name, bytes: ar(&members, materials.time) })
}

/// Returns the files in their Debian locations.
fn files(materials: &Materials) -> Result<Vec<Entry>, DistError> {
    let mut files = vec![
        Entry::program("usr/bin/locard", materials.program.clone()),
        Entry::plain(&format!("{DOCUMENTS}/copyright"), COPYRIGHT),
        Entry::plain(&format!("{DOCUMENTS}/THIRD-PARTY.txt.gz"), gzip(materials.licences.as_bytes())?),
        Entry::plain(&format!("{DOCUMENTS}/changelog.gz"), gzip(changelog(materials).as_bytes())?),
        Entry::plain("usr/share/lintian/overrides/locard", OVERRIDES),
    ];
    for entry in &materials.written {
        let (path, bytes) = match entry.path.as_str() {
            "completions/locard.bash" => {
                ("usr/share/bash-completion/completions/locard".to_owned(), entry.bytes.clone())
            }
            "completions/_locard" => {
                ("usr/share/zsh/vendor-completions/_locard".to_owned(), entry.bytes.clone())
            }
            "completions/locard.fish" => {
                ("usr/share/fish/vendor_completions.d/locard.fish".to_owned(), entry.bytes.clone())
            }
            page => {
                let name = page.strip_prefix("man/").unwrap_or(page);
                (format!("usr/share/man/man1/{name}.gz"), gzip(&entry.bytes)?)
            }
        };
        files.push(Entry::plain(&path, bytes));
    }
    for entry in &materials.shipped {
        let path = match entry.path.as_str() {
            // The copyright file replaces the first; the second is for those who unpack the archive.
            "LICENSE" | "Containerfile" => continue,
            other => other.strip_prefix("cases/").map_or_else(
                || format!("{DOCUMENTS}/{other}"),
                |inner| format!("{DOCUMENTS}/examples/{inner}"),
            ),
        };
        files.push(Entry::plain(&path, entry.bytes.clone()));
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(files)
}

fn control(materials: &Materials, files: &[Entry]) -> String {
    let kibibytes: usize = files.iter().map(|file| file.bytes.len().div_ceil(1024)).sum();
    format!(
        "Package: locard\n\
         Version: {}\n\
         Architecture: {}\n\
         Maintainer: {MAINTAINER}\n\
         Installed-Size: {kibibytes}\n\
         Section: utils\n\
         Priority: optional\n\
         Description: investigates digital evidence with agents that must prove each fact\n \
         Agents call read-only tools over disk images, triage archives and folders.\n \
         A fact enters the result only if its values stand in the recorded output of\n \
         a tool call; a finished run is a folder that anybody can verify and replay.\n",
        materials.version,
        materials.target.debian()
    )
}

fn md5sums(files: &[Entry]) -> String {
    let mut out = String::new();
    for file in files {
        for byte in Md5::digest(&file.bytes) {
            let _ = write!(out, "{byte:02x}");
        }
        let _ = writeln!(out, "  {}", file.path);
    }
    out
}

/// Formats a changelog in Debian's format, with a single entry that refers to ours.
fn changelog(materials: &Materials) -> String {
    let seconds = i64::try_from(materials.time).unwrap_or_default();
    let time = jiff::Timestamp::from_second(seconds).unwrap_or_default();
    let time = time.to_zoned(jiff::tz::TimeZone::UTC).strftime("%a, %d %b %Y %H:%M:%S +0000").to_string();
    format!(
        "locard ({}) stable; urgency=medium\n\n  * What changed: {DOCUMENTS}/CHANGELOG.md.\n\n -- {MAINTAINER}  {time}\n",
        materials.version
    )
}

const COPYRIGHT: &str = "\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Locard
Comment: What the program links is named, with licences, in THIRD-PARTY.txt.gz.

Files: *
Copyright: 2025-2026 the authors of Locard
License: GPL-3+
 This program is free software: you can redistribute it and/or modify it under
 the terms of the GNU General Public License, version 3 or any later version.
 .
 The text of version 3 is in /usr/share/common-licenses/GPL-3.
";

const OVERRIDES: &str = "\
# One program for every Linux: it carries all that it links, so it is a static program that can be loaded anywhere.
locard: shared-library-lacks-prerequisites [usr/bin/locard]
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::materials::tests::small;

    #[test]
    fn two_packings_of_the_same_files_are_equal_bytes() {
        let materials = small();
        let mut other = materials.clone();
        other.shipped.reverse();
        let packed = package(&materials).unwrap();
        assert_eq!(packed.name, "locard_1.2.3_amd64.deb");
        assert_eq!(packed, package(&other).unwrap());
        other.program.push(0);
        assert_ne!(packed, package(&other).unwrap());
    }

    #[test]
    fn files_lie_where_debian_has_them() {
        let files = files(&small()).unwrap();
        for (path, mode) in [
            ("usr/bin/locard", 0o755),
            ("usr/share/man/man1/locard.1.gz", 0o644),
            ("usr/share/bash-completion/completions/locard", 0o644),
            ("usr/share/zsh/vendor-completions/_locard", 0o644),
            ("usr/share/fish/vendor_completions.d/locard.fish", 0o644),
            ("usr/share/doc/locard/copyright", 0o644),
            ("usr/share/doc/locard/CHANGELOG.md", 0o644),
            ("usr/share/doc/locard/docs/view.md", 0o644),
            ("usr/share/doc/locard/examples/demo/case.toml", 0o644),
        ] {
            assert!(files.iter().any(|file| (file.path.as_str(), file.mode) == (path, mode)), "{path}");
        }
        assert!(!files.iter().any(|file| file.path.ends_with("LICENSE")));
    }

    #[test]
    fn the_sums_are_those_of_the_files() {
        let sums = md5sums(&[Entry::plain("a/b", b"abc".as_slice())]);
        assert_eq!(sums, "900150983cd24fb0d6963f7d28e17f72  a/b\n");
    }

    #[test]
    fn the_changelog_is_dated_as_debian_dates_it() {
        let text = changelog(&small());
        assert!(text.ends_with(&format!(" -- {MAINTAINER}  Tue, 14 Nov 2023 22:13:20 +0000\n")), "{text}");
    }
}
