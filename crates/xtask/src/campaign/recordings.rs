//! Published recordings of attacks, each repository at one commit.

use sha2::{Digest, Sha256};
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::process::Command;

/// A repository: its local folder, its address, and the commit that is read; a commit identifies its content by digest.
struct Source {
    folder: &'static str,
    url: &'static str,
    commit: &'static str,
}

const DATASETS: Source = Source {
    folder: "Security-Datasets",
    url: "https://github.com/OTRF/Security-Datasets",
    commit: "d9d40ef123d2c87d5d3df28c96bcab4f0faccc87",
};
const SAMPLES: Source = Source {
    folder: "EVTX-ATTACK-SAMPLES",
    url: "https://github.com/sbousseaden/EVTX-ATTACK-SAMPLES",
    commit: "4ceed2f4706daf601c212a8f91c113dd85349a2c",
};
const SIGMA: Source = Source {
    folder: "sigma",
    url: "https://github.com/SigmaHQ/sigma",
    commit: "8eaafff1f2845a696050e05e72ba1140ee190698",
};

/// The maximum size of a file to decompress.
const LONGEST: u64 = 1 << 30;

/// The half of the recordings that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    /// The half with which rules may be improved.
    Development,
    /// The half that gives the final figure.
    Final,
}

impl Half {
    pub(super) fn name(self) -> &'static str {
        match self {
            Half::Development => "development",
            Half::Final => "final",
        }
    }

    /// Returns the half of a recording, by a digest of its name, so that it is decided before anybody looks at it.
    fn of(name: &str) -> Half {
        let digest = Sha256::digest(name.as_bytes());
        if digest.first().is_some_and(|byte| byte & 1 == 0) { Half::Development } else { Half::Final }
    }
}

/// A log with an attack.
pub(super) struct Recording {
    /// The name of its file.
    pub(super) file: String,
    pub(super) bytes: Vec<u8>,
}

/// Returns the recordings of a half.
pub(super) fn of(sources: &Path, half: Half) -> io::Result<Vec<Recording>> {
    let mut all = Vec::new();
    for path in listed(sources, &DATASETS)? {
        let is_one = path.starts_with("datasets/atomic/windows/") && path.contains("/host/")
            || path.starts_with("datasets/compound/");
        if is_one
            && path.ends_with(".zip")
            && !path.contains("pcap")
            && !path.contains("zeek")
            && Half::of(&path) == half
        {
            // The largest files are missing from some copies of the repository.
            let Ok(bytes) = read(sources, &DATASETS, &path) else { continue };
            for (name, bytes) in expanded(&bytes)? {
                all.push(Recording { file: format!("{:04}-{name}", all.len()), bytes });
            }
        }
    }
    for path in listed(sources, &SAMPLES)? {
        if path.to_lowercase().ends_with(".evtx") && Half::of(&path) == half {
            let Ok(bytes) = read(sources, &SAMPLES, &path) else { continue };
            let name: String = path
                .rsplit('/')
                .next()
                .unwrap_or_default()
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '_' })
                .collect();
            all.push(Recording { file: format!("{:04}-{name}", all.len()), bytes });
        }
    }
    Ok(all)
}

/// Returns the texts of the Sigma rules for Windows.
pub(super) fn rules(sigma: &Path) -> io::Result<Vec<String>> {
    let sources = sigma.parent().unwrap_or(sigma);
    let paths: Vec<String> = listed(sources, &SIGMA)?
        .into_iter()
        .filter(|path| path.starts_with("rules/windows/") && path.ends_with(".yml"))
        .collect();
    let mut all = Vec::new();
    // One process for all of them, because there are thousands.
    let archive = git(sources, &SIGMA, &["archive", "--format=tar", SIGMA.commit, "rules/windows"])?;
    let mut at = 0_usize;
    while let Some(head) = archive.get(at..at + 512) {
        let name = String::from_utf8_lossy(head.get(..100).unwrap_or_default());
        let name = name.trim_end_matches('\0').to_owned();
        let size = String::from_utf8_lossy(head.get(124..136).unwrap_or_default());
        let size = usize::from_str_radix(size.trim_matches(['\0', ' ']), 8).unwrap_or_default();
        let is_file = head.get(156).is_some_and(|kind| matches!(kind, b'0' | 0));
        if is_file
            && !name.is_empty()
            && let Some(text) = archive.get(at + 512..at + 512 + size)
        {
            all.push(String::from_utf8_lossy(text).into_owned());
        }
        at += 512 + size.next_multiple_of(512);
    }
    if all.len() < paths.len() {
        return Err(io::Error::other(format!("{} rules are listed, {} were read", paths.len(), all.len())));
    }
    Ok(all)
}

/// Returns the files of a repository.
fn listed(sources: &Path, source: &Source) -> io::Result<Vec<String>> {
    if !sources.join(source.folder).exists() {
        clone(sources, source)?;
    }
    let listed = git(sources, source, &["ls-tree", "-r", "--name-only", "-z", source.commit])?;
    let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

fn read(sources: &Path, source: &Source, path: &str) -> io::Result<Vec<u8>> {
    git(sources, source, &["cat-file", "blob", &format!("{}:{path}", source.commit)])
}

#[expect(clippy::disallowed_methods, reason = "a chore reads repositories with git")]
fn git(sources: &Path, source: &Source, arguments: &[&str]) -> io::Result<Vec<u8>> {
    let out = Command::new("git").arg("-C").arg(sources.join(source.folder)).args(arguments).output()?;
    match out.status.success() {
        true => Ok(out.stdout),
        false => Err(io::Error::other(String::from_utf8_lossy(&out.stderr).into_owned())),
    }
}

#[expect(clippy::disallowed_methods, reason = "a chore fetches what it measures by")]
fn clone(sources: &Path, source: &Source) -> io::Result<()> {
    std::fs::create_dir_all(sources)?;
    let to = sources.join(source.folder);
    let status = Command::new("git").args(["clone", "--bare", source.url]).arg(&to).status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("git clone {}", source.url))) }
}

/// Returns the logs in an archive.
fn expanded(bytes: &[u8]) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(io::Error::other)?;
    let mut logs = Vec::new();
    for number in 0..archive.len() {
        let mut file = archive.by_index(number).map_err(io::Error::other)?;
        let name = file.name().map_err(io::Error::other)?.rsplit('/').next().unwrap_or_default().to_owned();
        if name.ends_with(".json") && !name.starts_with("._") {
            let mut bytes = Vec::new();
            file.by_ref().take(LONGEST).read_to_end(&mut bytes)?;
            logs.push((name, bytes));
        }
    }
    Ok(logs)
}
