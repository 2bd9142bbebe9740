//! The two verifiers, started like a user would.

use serde_json::Value;
use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The locations of the verifiers.
#[derive(Debug, Clone)]
pub struct Programs {
    /// The `locard` program.
    pub locard: PathBuf,
    /// Python 3.9 or later.
    pub python: PathBuf,
    /// The script.
    pub script: PathBuf,
}

/// Something that `locard verify` found.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    pub(super) level: String,
    pub(super) place: String,
    pub(super) what: String,
}

/// The result of `locard verify`.
#[derive(Debug)]
pub(super) struct Verified {
    code: i32,
    pub(super) findings: Vec<Finding>,
}

impl Verified {
    pub(super) fn passes(&self) -> bool {
        self.code == 0
    }

    pub(super) fn code(&self) -> i32 {
        self.code
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.level, self.place, self.what)
    }
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "code {}", self.code)?;
        self.findings.iter().take(3).try_for_each(|finding| write!(f, "; {finding}"))
    }
}

/// The result of the script.
#[derive(Debug)]
pub(super) struct Scripted {
    passes: bool,
    said: String,
}

impl Scripted {
    pub(super) fn passes(&self) -> bool {
        self.passes
    }

    pub(super) fn said(&self) -> &str {
        &self.said
    }
}

impl Programs {
    /// Runs `locard verify`, with a head stored elsewhere if one is given.
    pub(super) fn verify(&self, run: &Path, head: Option<&str>) -> io::Result<Verified> {
        let head = head.map(|head| [OsStr::new("--head"), OsStr::new(head)]);
        let fixed = [OsStr::new("verify"), run.as_os_str(), "--format".as_ref(), "json".as_ref()];
        let output = self.locard(fixed.into_iter().chain(head.into_iter().flatten()))?;
        let code = match output.status.code() {
            Some(code @ (0 | 2..)) => code,
            // A panic is a bug in this program, whatever the run is.
            Some(_) | None => return Err(crashed("locard verify", &output)),
        };
        let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let text = |finding: &Value, name: &str| finding[name].as_str().unwrap_or_default().to_owned();
        let findings = told["certificate"]["findings"].as_array().into_iter().flatten();
        let findings = findings.map(|finding| Finding {
            level: text(finding, "level"),
            place: text(finding, "place"),
            what: text(finding, "what"),
        });
        Ok(Verified { code, findings: findings.collect() })
    }

    /// Runs the script.
    pub(super) fn script(&self, run: &Path) -> io::Result<Scripted> {
        let output = run_program(&self.python, [self.script.as_os_str(), run.as_os_str()])?;
        let said = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned();
        match output.status.code() {
            // A traceback also exits with 1.
            _ if !output.stderr.is_empty() => Err(crashed("verify.py", &output)),
            Some(code @ 0..=2) => Ok(Scripted { passes: code == 0, said }),
            Some(_) | None => Err(crashed("verify.py", &output)),
        }
    }

    /// Returns everything that the run says, in the form for programs.
    pub(super) fn said(&self, run: &Path) -> io::Result<Vec<Vec<u8>>> {
        let says = |command: &str| {
            let output =
                self.locard([command.as_ref(), run.as_os_str(), "--format".as_ref(), "json".as_ref()])?;
            match output.status.success() {
                true => Ok(output.stdout),
                false => Err(crashed(command, &output)),
            }
        };
        ["facts", "report", "rejections"].into_iter().map(says).collect()
    }

    /// Packs the run uncompressed into `file`; returns false if export refuses.
    pub(super) fn export(&self, run: &Path, file: &Path) -> io::Result<bool> {
        let fixed = [OsStr::new("export"), run.as_os_str(), "--plain".as_ref(), "-o".as_ref()];
        let output = self.locard(fixed.into_iter().chain([file.as_os_str()]))?;
        match output.status.code() {
            Some(0) => Ok(true),
            Some(2..) => Ok(false),
            Some(_) | None => Err(crashed("locard export", &output)),
        }
    }

    fn locard<'a>(&self, arguments: impl IntoIterator<Item = &'a OsStr>) -> io::Result<Output> {
        run_program(&self.locard, arguments)
    }
}

#[expect(clippy::disallowed_methods, reason = "the campaign starts the programs as a person does")]
fn run_program<'a>(program: &Path, arguments: impl IntoIterator<Item = &'a OsStr>) -> io::Result<Output> {
    // Heads noted by the user must have no influence.
    Command::new(program).args(arguments).env("LOCARD_NO_HEAD_LOG", "1").env("LOCARD_NO_MEMORY", "1").output()
}

fn crashed(what: &str, output: &Output) -> io::Error {
    let said = String::from_utf8_lossy(&output.stderr);
    io::Error::other(format!("{what} ended with {}: {said}", output.status))
}
