//! A worker with evidence to read, and ways to disrupt it.

use sandbox::{Config, Ending, Limits, Policy, Report, Zygote};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::JoinHandle;
use std::time::Duration;
use tempfile::TempDir;

/// A worker, its evidence and its scratch root.
pub(crate) struct Bench {
    pub(crate) zygote: Zygote,
    pub(crate) evidence: PathBuf,
    pub(crate) outside: PathBuf,
    pub(crate) scratch_root: PathBuf,
    config: Config,
    _home: TempDir,
}

/// Returns limits with a wall clock short enough for a test to wait for.
pub(crate) fn short() -> Limits {
    Limits { wall: Duration::from_millis(200), ..Limits::default() }
}

impl Bench {
    pub(crate) fn new(confinement: Policy) -> Self {
        Self::prepared(confinement, |_, _| ())
    }

    /// Does what `new` does, after `prepare` has changed the evidence and the scratch root.
    pub(crate) fn prepared(confinement: Policy, prepare: impl FnOnce(&Path, &Path)) -> Self {
        let home = tempfile::tempdir().unwrap();
        let (evidence, outside) = (home.path().join("evidence"), home.path().join("outside"));
        for folder in [&evidence, &outside] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("file"), "content").unwrap();
        }
        std::os::unix::fs::symlink(outside.join("file"), evidence.join("link")).unwrap();
        let single = home.path().join("single");
        fs::write(&single, "single").unwrap();
        let scratch_root = home.path().join("scratch");
        let config = Config {
            program: env!("CARGO_BIN_EXE_sandbox-probe").into(),
            readable: vec![evidence.clone(), single],
            scratch_root: scratch_root.clone(),
            confinement,
        };
        fs::create_dir(&scratch_root).unwrap();
        prepare(&evidence, &scratch_root);
        let zygote = Zygote::spawn(config.clone()).unwrap();
        Self { zygote, evidence, outside, scratch_root, config, _home: home }
    }

    /// Returns what the kernel reports of the zygote in `/proc`.
    pub(crate) fn told(&self, file: &str) -> String {
        let path = format!("/proc/{}/{file}", self.zygote.process_id().unwrap());
        match file.starts_with("ns/") {
            true => fs::read_link(path).unwrap().display().to_string(),
            false => fs::read_to_string(path).unwrap(),
        }
    }

    /// Starts another worker with the same folders.
    pub(crate) fn second(&self) -> Zygote {
        Zygote::spawn(self.config.clone()).unwrap()
    }

    pub(crate) fn report(&mut self, request: &str) -> Report {
        self.zygote.call(request.as_bytes(), &Limits::default()).unwrap()
    }

    /// Returns the reply's text.
    pub(crate) fn ask(&mut self, request: &str) -> String {
        Self::ask_of(&mut self.zygote, request)
    }

    pub(crate) fn ask_of(zygote: &mut Zygote, request: &str) -> String {
        match zygote.call(request.as_bytes(), &Limits::default()).unwrap().ending {
            Ending::Replied(bytes) => String::from_utf8(bytes).unwrap(),
            other => panic!("{request}: {other:?}"),
        }
    }

    /// Returns the reply to a verb about a path.
    pub(crate) fn ask_path(&mut self, verb: &str, path: &Path) -> String {
        self.ask(&format!("{verb} {}", path.display()))
    }

    pub(crate) fn scratch_folders(&self) -> usize {
        fs::read_dir(&self.scratch_root).unwrap().count()
    }

    pub(crate) fn kill_zygote(&self) {
        signal("-KILL", self.zygote.process_id().unwrap());
    }

    pub(crate) fn stop_zygote(&self) {
        signal("-STOP", self.zygote.process_id().unwrap());
    }

    /// Kills the zygote of the next call, whichever process that is, as soon as the call runs.
    pub(crate) fn kill_zygote_once_a_call_runs(&mut self) -> JoinHandle<()> {
        assert_eq!(self.ask("echo awake"), "ok awake".to_owned());
        let pid = self.zygote.process_id().unwrap();
        self.once_a_call_runs(move || signal("-KILL", pid))
    }

    /// Runs `act` on its own thread as soon as the zygote has a running child, has reported it, and sleeps while waiting for it.
    pub(crate) fn once_a_call_runs(&self, act: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
        let pid = self.zygote.process_id().unwrap();
        let children = format!("/proc/{pid}/task/{pid}/children");
        let status = format!("/proc/{pid}/status");
        std::thread::spawn(move || {
            while fs::read_to_string(&children).is_ok_and(|children| children.trim().is_empty()) {
                std::thread::yield_now();
            }
            while fs::read_to_string(&status).is_ok_and(|status| !status.contains("State:\tS")) {
                std::thread::yield_now();
            }
            act();
        })
    }
}

fn signal(name: &str, pid: u32) {
    assert!(Command::new("kill").args([name, &pid.to_string()]).status().unwrap().success());
}

/// Checks whether the administrator runs the tests; prints a note if not.
pub(crate) fn is_administrator() -> bool {
    let is = std::os::unix::fs::MetadataExt::uid(&fs::metadata("/proc/self").unwrap()) == 0;
    if !is {
        println!("not tried: only the administrator can");
    }
    is
}
