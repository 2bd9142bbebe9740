//! Calls and their zygote, from the parent's side.

use crate::call_error::CallError;
use crate::config::{Config, Policy};
use crate::confinement::Confinement;
use crate::ending::{Ending, Report, ZygoteExit};
use crate::limits::{Limits, Usage};
use crate::linux::cancel::Canceller;
use crate::linux::link::{Heard, Link, Lost};
use crate::linux::message::{Command, REQUEST_LIMIT};
use crate::linux::probe::probe;
use crate::linux::reply::Payload;
use crate::linux::{reply, scratch, told};
use crate::spawn_error::SpawnError;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A worker: it handles one call at a time. Several workers may run side by side.
///
/// It may be used from any thread; it does not depend on the thread that started it.
/// Dropping it ends the process.
pub struct Zygote {
    config: Config,
    confinement: Confinement,
    canceller: Canceller,
    link: Option<Link>,
    deaths: u32,
}

/// How many deaths in a row, without a reply in between, make calls fail.
const PATIENCE: u32 = 3;

/// Numbers the scratch folders of this process, for all its workers.
static ORDINAL: AtomicU64 = AtomicU64::new(0);

impl Zygote {
    /// Starts a worker and waits until it is ready to take calls.
    pub fn spawn(config: Config) -> Result<Self, SpawnError> {
        Self::spawn_probed(config, &probe())
    }

    /// Does what `spawn` does, with the given result of [`probe`], for a caller that has it already or wants another one.
    /// The worker's actual confinement is checked in any case.
    pub fn spawn_probed(mut config: Config, probed: &Confinement) -> Result<Self, SpawnError> {
        let missing = probed.missing();
        if config.confinement == Policy::Required && !missing.is_empty() {
            return Err(SpawnError::ConfinementUnavailable { missing });
        }
        let root = &config.scratch_root;
        std::fs::create_dir_all(root).map_err(|source| SpawnError::Path { path: root.clone(), source })?;
        config.scratch_root = absolute(root)?;
        config.readable = config.readable.iter().map(|path| absolute(path)).collect::<Result<_, _>>()?;
        let canceller = Canceller::new().map_err(|source| SpawnError::Pipes { source })?;
        let (link, confinement) = Link::start(&config)?;
        told::started(link.process_id(), &confinement);
        Ok(Self { config, confinement, canceller, link: Some(link), deaths: 0 })
    }

    /// Returns what confines this worker's calls.
    pub fn confinement(&self) -> &Confinement {
        &self.confinement
    }

    /// Returns a handle that ends the running call from another thread.
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    /// Returns the process id of the zygote, while there is one.
    pub fn process_id(&self) -> Option<u32> {
        self.link.as_ref().map(Link::process_id)
    }

    /// Makes one call and waits for its end, which comes within the wall limit and a grace of 2 s, whatever the call does.
    ///
    /// A dead zygote is replaced; the call is only repeated if its process had not been started.
    /// An `Err` means that there was no call, or that the file for its reply cannot be written ([`CallError::Keep`]).
    /// Everything else that happens to a call is a [`Report`].
    pub fn call(&mut self, request: &[u8], limits: &Limits) -> Result<Report, CallError> {
        self.call_with(request, limits, &|| Ok(Payload::Memory(Vec::new())))
    }

    /// Does what `call` does, but writes the reply's bytes to a file, replacing its content; the report's own bytes are then empty.
    ///
    /// If the call did not reply, the content of the file is meaningless.
    pub fn call_into(&mut self, request: &[u8], limits: &Limits, into: &File) -> Result<Report, CallError> {
        self.call_with(request, limits, &|| Payload::in_file(into))
    }

    fn call_with(
        &mut self,
        request: &[u8],
        limits: &Limits,
        payload: &dyn Fn() -> io::Result<Payload>,
    ) -> Result<Report, CallError> {
        let actual = request.len() as u64;
        if actual > REQUEST_LIMIT {
            return Err(CallError::RequestTooLong { actual, limit: REQUEST_LIMIT });
        }
        loop {
            let mut link = self.take_link()?;
            let name = format!("{}-{}", std::process::id(), ORDINAL.fetch_add(1, Ordering::Relaxed));
            let folder = self.config.scratch_root.join(&name);
            if self.canceller.is_cancelled() {
                self.link = Some(link);
                return Ok(report(Ending::Cancelled, None));
            }
            let payload = payload().map_err(|source| CallError::Keep { source })?;
            match link.call(&Command::call(limits, &name, request), limits, &self.canceller, payload) {
                Ok(heard) => {
                    self.deaths = 0;
                    self.link = Some(link);
                    let report = finished(heard, limits, &folder)?;
                    told::ended(&report);
                    return Ok(report);
                }
                Err(lost) => {
                    let exit = link.end();
                    told::lost(exit, self.deaths);
                    if let Some(report) = self.bury(&lost, exit, limits, &folder)? {
                        told::ended(&report);
                        return Ok(report);
                    }
                }
            }
        }
    }

    /// Returns the living link, or a new one.
    fn take_link(&mut self) -> Result<Link, CallError> {
        if let Some(mut link) = self.link.take() {
            if link.alive() {
                return Ok(link);
            }
            let exit = link.end();
            told::lost(exit, self.deaths);
            self.count_death(exit)?;
        }
        let (link, confinement) =
            Link::start(&self.config).map_err(|source| CallError::Respawn { source })?;
        told::started(link.process_id(), &confinement);
        self.confinement = confinement;
        Ok(link)
    }

    fn count_death(&mut self, last: ZygoteExit) -> Result<(), CallError> {
        self.deaths += 1;
        if self.deaths >= PATIENCE {
            return Err(CallError::ZygoteKeepsDying { deaths: self.deaths, last });
        }
        Ok(())
    }

    /// Cleans up after a zygote that was lost during a call. `None`: the call may be repeated.
    fn bury(
        &mut self,
        lost: &Lost,
        exit: ZygoteExit,
        limits: &Limits,
        folder: &Path,
    ) -> Result<Option<Report>, CallError> {
        let left = clear(folder);
        let ending = match lost {
            Lost::Deaf => Ending::Cancelled,
            Lost::Hung => {
                self.deaths += 1;
                Ending::TimedOut { limit: limits.wall }
            }
            Lost::During => {
                self.count_death(exit)?;
                Ending::ZygoteDied { exit }
            }
            Lost::BeforeStart => {
                self.count_death(exit)?;
                return Ok(None);
            }
        };
        Ok(Some(report(ending, left)))
    }
}

fn report(ending: Ending, scratch_left: Option<PathBuf>) -> Report {
    Report { ending, usage: Usage::default(), stderr: Vec::new(), doing: Vec::new(), scratch_left }
}

fn finished(heard: Heard, limits: &Limits, folder: &Path) -> Result<Report, CallError> {
    let Heard { ended, mut received } = heard;
    let scratch_left = if ended.scratch_removed { None } else { clear(folder) };
    let doing = received.split_tail(ended.doing);
    let stderr = received.split_tail(ended.stderr);
    received.kept().map_err(|source| CallError::Keep { source })?;
    let ending = reply::judge(ended.how, received, limits);
    Ok(Report { ending, usage: ended.usage, stderr, doing, scratch_left })
}

/// Removes a scratch folder; returns it if that fails.
/// The parent may do what the zygote may not, such as opening a folder that its creator has locked.
fn clear(folder: &Path) -> Option<PathBuf> {
    scratch::clear(folder).err().map(|_| folder.to_owned())
}

fn absolute(path: &Path) -> Result<PathBuf, SpawnError> {
    std::path::absolute(path).map_err(|source: io::Error| SpawnError::Path { path: path.to_owned(), source })
}
