//! The source of a build, and its tools: cargo, git and the C compilers of the targets.

use super::target::Target;
use super::{DistError, error};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The cargo profile of a release, in the root manifest.
pub(super) const PROFILE: &str = "dist";

/// The source of a release.
#[derive(Debug)]
pub(super) struct Build {
    /// The folder of the workspace.
    pub(super) root: PathBuf,
    pub(super) version: &'static str,
    /// The commit, if the source is a clone.
    pub(super) revision: Option<String>,
    /// Whether the source differs from the commit.
    pub(super) changed: bool,
    /// The time of everything that is packed, in seconds: `SOURCE_DATE_EPOCH`, or that of the commit.
    pub(super) time: u64,
    /// The output of `rustc --version`.
    pub(super) rustc: String,
}

impl Build {
    /// Examines the source in `root`.
    pub(super) fn new(root: &Path) -> Result<Build, DistError> {
        let root = root.canonicalize().map_err(error::reading(root))?;
        let git = |arguments: &[&str]| output("git", arguments, &root).ok();
        let revision = git(&["rev-parse", "HEAD"]).filter(|revision| !revision.is_empty());
        let changed = git(&["status", "--porcelain"]).is_some_and(|status| !status.is_empty());
        let time = variable("SOURCE_DATE_EPOCH").or_else(|| git(&["log", "-1", "--format=%ct"]));
        let time = time.and_then(|time| time.parse().ok()).ok_or(DistError::Time)?;
        let rustc = output("rustc", &["--version"], &root)?;
        Ok(Build { root, version: env!("CARGO_PKG_VERSION"), revision, changed, time, rustc })
    }

    /// Fails if a tool for a target is missing, and says what to install.
    pub(super) fn check_tools(&self, targets: &[Target]) -> Result<(), DistError> {
        let libraries = output("rustc", &["--print", "sysroot"], &self.root)?;
        for target in targets {
            let installed = Path::new(&libraries).join("lib/rustlib").join(target.triple());
            if !installed.is_dir() {
                return Err(DistError::Missing { program: target.triple(), install: rustup(*target) });
            }
            for (program, arguments, install) in tools(*target) {
                if run(program, arguments, &self.root).is_err() {
                    return Err(DistError::Missing { program, install });
                }
            }
        }
        Ok(())
    }

    /// Builds the program for a target; returns its path.
    pub(super) fn program(&self, target: Target) -> Result<PathBuf, DistError> {
        let mut cargo = match target.is_native() {
            true => command("cargo", &self.root),
            false => command("cargo-zigbuild", &self.root),
        };
        cargo.args(["rustc", "--locked", "--package", "cli", "--bin", "locard", "--profile", PROFILE]);
        cargo.args(["--target", target.triple()]);
        if target.is_native() {
            // Besides code, a position-independent static program consists mostly of relocations; packed, they are small.
            cargo.args(["--", "-Clink-arg=-Wl,-z,pack-relative-relocs"]);
        }
        // No path of this machine may be in the program, neither of Rust nor of C sources.
        let folders = self.folders();
        let rust = folders.iter().map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
        cargo.env("CARGO_ENCODED_RUSTFLAGS", rust.collect::<Vec<_>>().join("\x1f"));
        let c = folders.iter().map(|(from, to)| format!("-ffile-prefix-map={}={to}", from.display()));
        let name = format!("CFLAGS_{}", target.triple().replace('-', "_"));
        cargo.env(name, c.collect::<Vec<_>>().join(" "));
        succeed(cargo)?;
        Ok(self.target_folder().join(target.triple()).join(PROFILE).join("locard"))
    }

    /// Returns what replaces the folders of this machine in the program.
    fn folders(&self) -> Vec<(PathBuf, &'static str)> {
        let home = variable("CARGO_HOME").map(PathBuf::from);
        let home = home.or_else(|| variable("HOME").map(|home| Path::new(&home).join(".cargo")));
        // The last matching one counts.
        home.map(|home| (home, "/cargo")).into_iter().chain([(self.root.clone(), "/locard")]).collect()
    }

    fn target_folder(&self) -> PathBuf {
        variable("CARGO_TARGET_DIR").map_or_else(|| self.root.join("target"), PathBuf::from)
    }

    /// Returns cargo's metadata about the packages of a target, including features.
    pub(super) fn metadata(&self, target: Target) -> Result<serde_json::Value, DistError> {
        let arguments =
            ["metadata", "--locked", "--format-version", "1", "--filter-platform", target.triple()];
        let text = output("cargo", &arguments, &self.root)?;
        serde_json::from_str(&text).map_err(|source| DistError::Json { what: "cargo metadata", source })
    }

    /// Returns the name and version of each package that is linked into the program, one per line.
    pub(super) fn tree(&self, target: Target) -> Result<String, DistError> {
        let edges = ["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"];
        let which = ["tree", "--locked", "--package", "cli", "--target", target.triple()];
        output("cargo", &[&which[..], &edges[..]].concat(), &self.root)
    }

    /// Returns the checksums in `Cargo.lock`, by name and version.
    pub(super) fn checksums(&self) -> Result<BTreeMap<(String, String), String>, DistError> {
        let path = self.root.join("Cargo.lock");
        let text = std::fs::read_to_string(&path).map_err(error::reading(&path))?;
        let lock: toml::Table = toml::from_str(&text).map_err(|source| DistError::Toml { path, source })?;
        let packages = lock.get("package").and_then(toml::Value::as_array).into_iter().flatten();
        let one = |package: &toml::Value| {
            let text = |field: &str| Some(package.get(field)?.as_str()?.to_owned());
            Some(((text("name")?, text("version")?), text("checksum")?))
        };
        Ok(packages.filter_map(one).collect())
    }

    /// Returns the folder of the toolchain.
    pub(super) fn sysroot(&self) -> PathBuf {
        output("rustc", &["--print", "sysroot"], &self.root).unwrap_or_default().into()
    }

    /// Returns the version of rustc, which is also that of its library.
    pub(super) fn rustc_version(&self) -> String {
        self.rustc.split_whitespace().nth(1).unwrap_or_default().to_owned()
    }

    /// Returns the version of LLVM in the toolchain.
    pub(super) fn llvm_version(&self) -> String {
        let said = output("rustc", &["--version", "--verbose"], &self.root).unwrap_or_default();
        let line = said.lines().find_map(|line| line.strip_prefix("LLVM version: "));
        line.unwrap_or_default().to_owned()
    }

    /// Returns the file with musl's licence, from the C compiler of a target.
    pub(super) fn musl_copyright(&self, target: Target) -> PathBuf {
        if target.is_native() {
            return PathBuf::from("/usr/share/doc/musl/copyright");
        }
        let zig = "import ziglang, os; print(os.path.dirname(ziglang.__file__))";
        let zig = output("python3", &["-c", zig], &self.root).unwrap_or_default();
        Path::new(&zig).join("lib/libc/musl/COPYRIGHT")
    }
}

/// Returns the tools of a target: the command that checks whether each exists, and where to get it.
fn tools(target: Target) -> Vec<(&'static str, &'static [&'static str], &'static str)> {
    if target.is_native() {
        return vec![(
            "musl-gcc",
            &["--version"],
            "install musl-tools (Debian, Ubuntu) or musl-gcc (Fedora)",
        )];
    }
    vec![(
        "cargo-zigbuild",
        &["--version"],
        "pip install cargo-zigbuild ziglang, in an environment whose bin folder is on the PATH",
    )]
}

fn rustup(target: Target) -> &'static str {
    match target {
        Target::X86_64 => "rustup target add x86_64-unknown-linux-musl",
        Target::Aarch64 => "rustup target add aarch64-unknown-linux-musl",
    }
}

#[expect(clippy::disallowed_methods, reason = "a chore starts cargo, git and compilers")]
fn command(program: impl AsRef<OsStr>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder);
    command
}

#[expect(
    clippy::disallowed_methods,
    reason = "where cargo puts things, and the time of a release, are set so"
)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn succeed(mut command: Command) -> Result<(), DistError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|source| DistError::Start { program, source })?;
    ended(&command, status)
}

fn ended(command: &Command, status: std::process::ExitStatus) -> Result<(), DistError> {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
    if status.success() { Ok(()) } else { Err(DistError::Failed { command: words.join(" "), status }) }
}

/// Runs a program whose output is not needed.
fn run(program: &str, arguments: &[&str], folder: &Path) -> Result<(), DistError> {
    output(program, arguments, folder).map(drop)
}

/// Returns what a program prints, without surrounding blanks.
pub(super) fn output(
    program: impl AsRef<OsStr>,
    arguments: &[&str],
    folder: &Path,
) -> Result<String, DistError> {
    let mut command = command(program, folder);
    command.args(arguments).stderr(Stdio::null());
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|source| DistError::Start { program, source })?;
    ended(&command, output.status)?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
