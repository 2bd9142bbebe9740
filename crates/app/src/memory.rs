//! Glue: the memory across runs. What an agent is told of earlier runs before this one begins, and what is written of each task behind its end.
//!
//! Nothing of it decides what is recorded: the run has its copy of what was recalled, and goes on where the memory cannot be used.

use crate::agents::{AgentError, shipped_agents, shipped_asker, shipped_examiner, shipped_lead};
use crate::case_file::Case;
use crate::causes::with_causes;
use crate::clock::Clock;
use crate::progress::Progress;
use crate::run::Workplace;
use crate::stored::Stored;
use crate::unchanged::Snapshot;
use ledger::event::{RunOpened, TaskAssigned};
use ledger::{Behaviour, Digest, Event, FactEntry, Objective, Remembered, RunId};
use memory::{Distilled, Imported, Kept, KindOfEvidence, Query, Scope, Store, StoreError, TaskOf, TaskSeen};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

/// The ending of the files of the memory.
const ENDING: &str = "sqlite";

/// The memory in a folder: one store for what holds for all cases, and one for each piece of evidence.
#[derive(Debug)]
pub struct Memory {
    folder: PathBuf,
    vocabulary: memory::Vocabulary,
}

/// What a run has of a memory.
#[derive(Debug, Clone, Default)]
pub enum MemoryUse {
    /// None: nothing is recalled, and nothing is written.
    #[default]
    None,
    /// What another run was told, whose replies this one repeats; nothing is written.
    Copy(Vec<Remembered>),
    /// This one: it is asked before the run begins, and written to behind each task.
    Of(Arc<Memory>),
}

/// Why the memory cannot be used.
#[derive(Debug, Error)]
pub enum MemoryError {
    /// The shipped agents, whose words it may hold, cannot be read.
    #[error("read the shipped vocabulary of the memory")]
    Agents(#[source] AgentError),
    /// Nor can the shipped predicates.
    #[error("read the shipped vocabulary of the memory")]
    Predicates(#[source] ledger::vocabulary::VocabularyError),
    /// A store of it cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its folder cannot be read.
    #[error("read the memory {}", path.display())]
    Folder {
        /// The folder or file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// No store, or several, begin so.
    #[error("forget a case: {}", which(key, *found))]
    WhichCase {
        /// What was asked for.
        key: String,
        /// How many there are.
        found: usize,
    },
}

/// Why a key names no case alone.
fn which(key: &str, found: usize) -> String {
    match found {
        0 => format!(
            "the memory has no case whose key begins with {key:?}; `locard memory list` shows the keys"
        ),
        found => format!("{found} cases of the memory have a key that begins with {key:?}; give more of it"),
    }
}

/// The lessons of one store.
#[derive(Debug)]
pub struct StoredLessons {
    /// The digest of the evidence; `None` for the general store.
    pub case: Option<String>,
    /// The lessons.
    pub lessons: Vec<Kept>,
}

impl Memory {
    /// The memory in this folder, which need not be there yet.
    ///
    /// # Errors
    ///
    /// [`MemoryError`]: the shipped vocabulary cannot be read.
    pub fn new(folder: PathBuf) -> Result<Memory, MemoryError> {
        Ok(Memory { folder, vocabulary: vocabulary()? })
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether a word, as words are cut, is one that the program ships: only such words are in what holds for all cases.
    pub fn ships(&self, word: &str) -> bool {
        self.vocabulary.has_word(word)
    }

    fn general(&self) -> PathBuf {
        self.folder.join("general").with_extension(ENDING)
    }

    fn cases(&self) -> PathBuf {
        self.folder.join("cases")
    }

    fn case(&self, key: &Digest) -> PathBuf {
        self.cases().join(key.to_string()).with_extension(ENDING)
    }

    /// The files of cases, with the digests of their evidence.
    fn case_files(&self) -> Result<Vec<(String, PathBuf)>, MemoryError> {
        let path = self.cases();
        let entries = match std::fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(MemoryError::Folder { path, source }),
        };
        let files = entries.flatten().map(|entry| entry.path()).filter(|path| {
            path.extension().is_some_and(|ending| ending == ENDING)
                && path.file_stem().is_some_and(|stem| stem.len() == 64)
        });
        let named = files.filter_map(|path| Some((path.file_stem()?.to_str()?.to_owned(), path)));
        let mut named: Vec<_> = named.collect();
        named.sort();
        Ok(named)
    }

    /// All lessons, those that hold for all cases first.
    ///
    /// # Errors
    ///
    /// [`MemoryError`]: a store cannot be read.
    pub fn all(&self) -> Result<Vec<StoredLessons>, MemoryError> {
        self.each(|store| store.all())
    }

    /// The lessons in which words stand, the best of each store first.
    ///
    /// # Errors
    ///
    /// As [`Memory::all`].
    pub fn find(&self, text: &str) -> Result<Vec<StoredLessons>, MemoryError> {
        let words = memory::words(text);
        self.each(|store| Ok(store.find(&words, true)?.into_iter().map(|found| found.kept).collect()))
    }

    /// The lesson of this id, with the case that it is of.
    ///
    /// # Errors
    ///
    /// As [`Memory::all`].
    pub fn one(&self, id: &str) -> Result<Option<(Option<String>, Kept)>, MemoryError> {
        let found = self.each(|store| Ok(store.one(id)?.into_iter().collect()))?;
        let mut found =
            found.into_iter().flat_map(|of| of.lessons.into_iter().map(move |kept| (of.case.clone(), kept)));
        Ok(found.next())
    }

    fn each(
        &self,
        read: impl Fn(&Store) -> Result<Vec<Kept>, StoreError>,
    ) -> Result<Vec<StoredLessons>, MemoryError> {
        let stores = self.stores()?.into_iter();
        stores.map(|(case, store)| Ok(StoredLessons { case, lessons: read(&store)? })).collect()
    }

    /// The stores that are there, the general one first; each other one with the digest of its evidence.
    fn stores(&self) -> Result<Vec<(Option<String>, Store)>, MemoryError> {
        let general = Store::open_existing(&self.general(), Scope::General)?;
        let mut stores: Vec<_> = general.map(|store| (None, store)).into_iter().collect();
        for (key, file) in self.case_files()? {
            stores.push((Some(key), Store::open(&file, Scope::Case)?));
        }
        Ok(stores)
    }

    /// Forgets a lesson; whether there was one.
    ///
    /// # Errors
    ///
    /// [`MemoryError`]: a store cannot be changed.
    pub fn forget(&self, id: &str) -> Result<bool, MemoryError> {
        for (_, store) in self.stores()? {
            if store.forget(id)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Forgets everything of the evidence whose digest begins so; gives its digest and how many lessons there were.
    ///
    /// # Errors
    ///
    /// [`MemoryError`]: there is no such evidence, or its store cannot be removed.
    pub fn forget_case(&self, key: &str) -> Result<(String, usize), MemoryError> {
        let mut files = self.case_files()?;
        files.retain(|(known, _)| !key.is_empty() && known.starts_with(&key.to_ascii_lowercase()));
        match <[_; 1]>::try_from(files) {
            Ok([(known, file)]) => Ok((known, forget_file(&file)?)),
            Err(files) => Err(MemoryError::WhichCase { key: key.to_owned(), found: files.len() }),
        }
    }

    /// Forgets everything; gives how many lessons there were.
    ///
    /// # Errors
    ///
    /// [`MemoryError`]: a store cannot be emptied or removed.
    pub fn forget_all(&self) -> Result<usize, MemoryError> {
        let mut lessons = match Store::open_existing(&self.general(), Scope::General)? {
            Some(store) => store.forget_all()?,
            None => 0,
        };
        for (_, file) in self.case_files()? {
            lessons += forget_file(&file)?;
        }
        Ok(lessons)
    }

    /// The lessons that hold for all cases, a line of JSON each.
    ///
    /// # Errors
    ///
    /// As [`Memory::all`].
    pub fn export(&self) -> Result<String, MemoryError> {
        let store = Store::open_existing(&self.general(), Scope::General)?;
        Ok(store.map(|store| memory::export(&store)).transpose()?.unwrap_or_default())
    }

    /// Takes exported lessons over.
    ///
    /// # Errors
    ///
    /// [`MemoryError`]: the store cannot be changed.
    pub fn import(&self, text: &[u8], clock: &dyn Clock) -> Result<Imported, MemoryError> {
        let store = Store::open(&self.general(), Scope::General)?;
        Ok(memory::import(&store, text, &self.vocabulary, seconds(clock))?)
    }

    /// What each of these agents is told, by its questions.
    fn recalled(
        &self,
        key: Option<&Digest>,
        agents: &[(&str, Vec<&str>)],
        kinds: BTreeSet<KindOfEvidence>,
        now: i64,
    ) -> Result<Vec<Remembered>, MemoryError> {
        let general = Store::open_existing(&self.general(), Scope::General)?;
        let of_case =
            key.map(|key| Store::open_existing(&self.case(key), Scope::Case)).transpose()?.flatten();
        let stores: Vec<&Store> = of_case.iter().chain(&general).collect();
        let known = memory::known(of_case.as_ref(), kinds)?;
        let mut remembered = Vec::new();
        for (agent, questions) in agents {
            let query = Query::of(agent, questions.iter().copied(), known.clone());
            let lessons = memory::advice(&stores, &self.vocabulary, &query, now)?;
            if !lessons.is_empty() {
                remembered.push(Remembered { agent: (*agent).to_owned(), lessons });
            }
        }
        Ok(remembered)
    }

    fn learn(
        &self,
        key: Option<&Digest>,
        of: TaskOf,
        distilled: &Distilled,
        now: i64,
    ) -> Result<usize, MemoryError> {
        let learn = |store: &Store| store.learn(of, distilled, &self.vocabulary, now);
        let of_case = match key {
            Some(key) => learn(&Store::open(&self.case(key), Scope::Case)?)?,
            None => 0,
        };
        Ok(of_case + learn(&Store::open(&self.general(), Scope::General)?)?)
    }
}

/// Removes the file of a case with everything beside it; gives how many lessons it had, 0 where it cannot be read.
fn forget_file(file: &Path) -> Result<usize, MemoryError> {
    let lessons = Store::open(file, Scope::Case).and_then(|store| store.forget_all()).unwrap_or(0);
    for beside in ["", "-wal", "-shm", ".lock"] {
        let mut path = file.as_os_str().to_owned();
        path.push(beside);
        match std::fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(MemoryError::Folder { path: path.into(), source });
            }
            Ok(()) | Err(_) => {}
        }
    }
    Ok(lessons)
}

/// The names and words that this version ships: nothing else enters what holds for all cases.
fn vocabulary() -> Result<memory::Vocabulary, MemoryError> {
    let agents = shipped_agents().map_err(MemoryError::Agents)?;
    let others = [shipped_lead(), shipped_examiner(), shipped_asker()];
    let others = others.into_iter().collect::<Result<Vec<_>, _>>().map_err(MemoryError::Agents)?;
    let predicates = ledger::Vocabulary::shipped().map_err(MemoryError::Predicates)?;
    let specs: Vec<_> = agents.iter().chain(&others).map(|agent| agent.spec.clone()).collect();
    let roster: Vec<_> = agents.iter().map(|agent| agent.spec.clone()).collect();
    let tools = crate::run::offered(&predicates, &roster);
    let all = Behaviour::ALL;
    let strategies = engine::strategies(engine::Edition::of(|behaviour| all.contains(&behaviour)));
    let names = predicates.entries().map(|(predicate, _)| predicate.0.as_str());
    Ok(memory::Vocabulary::default()
        .with_agents(&specs)
        .with_tools(&tools)
        .with_predicates(names)
        .with_strategies(strategies.iter().map(|strategy| strategy.id.as_str()))
        .with_texts(detect::baseline_names()))
}

/// The digest by which the memory knows evidence: of what the file system says of its files.
pub(crate) fn key_of(before: Option<&Snapshot>, case: &Case) -> Option<Digest> {
    before.map(|before| before.digest(case))
}

/// What the agents of a run that begins are told of earlier ones; what fails is told, and nothing is recalled then.
pub(crate) fn recall(
    work: &Workplace,
    key: Option<&Digest>,
    opened: &RunOpened,
    begun: &[TaskAssigned],
) -> Vec<Remembered> {
    let memory = match &work.memory {
        MemoryUse::None => return Vec::new(),
        MemoryUse::Copy(remembered) => return remembered.clone(),
        MemoryUse::Of(memory) => memory,
    };
    let of_spec = |agent: &'_ ledger::AgentSpec| -> Vec<String> {
        let questions: Vec<&Objective> = match agent.objectives.is_empty() {
            // An agent that hands out tasks plans for all questions of the case.
            true => opened.questions.iter().map(|asked| &asked.objective).collect(),
            false => agent.objectives.iter().collect(),
        };
        questions.into_iter().map(|objective| objective.question.clone()).collect()
    };
    let of_task = |assigned: &TaskAssigned| match &assigned.asked {
        // A question in words says everything, even if no objective could be made of it.
        Some(asked) => vec![asked.question.clone()],
        None => of_spec(&assigned.agent),
    };
    let begun = begun.iter().map(|assigned| (assigned.agent.name.as_str(), of_task(assigned)));
    let roster = opened.roster.iter().map(|agent| (agent.name.as_str(), of_spec(agent)));
    let agents: Vec<(&str, Vec<String>)> = begun.chain(roster).collect();
    let agents =
        agents.iter().map(|(name, questions)| (*name, questions.iter().map(String::as_str).collect()));
    let agents: Vec<_> = agents.collect();
    let kinds = opened.case.evidence.iter().map(|entry| entry.kind.into()).collect();
    memory.recalled(key, &agents, kinds, seconds(&*work.clock)).unwrap_or_else(|error| {
        let told = with_causes(&error, "; because: ");
        (work.observe)(Progress::Note(format!("nothing is recalled of earlier runs: {told}")));
        Vec::new()
    })
}

/// What a run writes into the memory.
pub(crate) struct Learner {
    memory: Arc<Memory>,
    work: Workplace,
    key: Option<Digest>,
    run: Digest,
    /// The version of Windows, once a fact told it; and whether a failure was told.
    state: Mutex<(Option<String>, bool)>,
}

impl Learner {
    /// Who writes the lessons of a run; `None` where it has no memory, or repeats what another run did.
    pub(crate) fn of(
        work: &Workplace,
        key: Option<Digest>,
        (run, begun): (&RunId, &str),
        opened: &RunOpened,
    ) -> Option<Learner> {
        let MemoryUse::Of(memory) = &work.memory else { return None };
        let run = Digest::of_parts(&[b"locard memory", run.to_string().as_bytes(), begun.as_bytes()]);
        let memory = Arc::clone(memory);
        opened.parent.is_none().then(|| Learner {
            memory,
            work: work.clone(),
            key,
            run,
            state: Mutex::default(),
        })
    }

    /// Writes what a task showed, which has ended or broke off; the run goes on whatever comes of it.
    pub(crate) fn learn(&self, opened: &RunOpened, assigned: &TaskAssigned, events: &[Event]) {
        let windows = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.0 = windows_of(events).or(state.0.take());
            state.0.clone()
        };
        let seen = TaskSeen { opened, assigned, events, windows: windows.as_deref() };
        let distilled = memory::distilled(seen);
        let of = TaskOf { run: self.run, task: assigned.task };
        match self.memory.learn(self.key.as_ref(), of, &distilled, seconds(&*self.work.clock)) {
            Ok(lessons) => {
                let agent = assigned.agent.name.clone();
                (self.work.observe)(Progress::Learned {
                    run: self.run.short(),
                    task: assigned.task,
                    agent,
                    lessons,
                });
            }
            Err(error) => {
                let was_told =
                    std::mem::replace(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner).1, true);
                if !was_told {
                    let told = with_causes(&error, "; because: ");
                    (self.work.observe)(Progress::Note(format!(
                        "lessons of this run are not written: {told}"
                    )));
                }
            }
        }
    }

    /// Writes of the tasks in the log of `folder` that have no end that they were not finished.
    pub(crate) fn unfinished(&self, folder: &Path) {
        let Ok((stored, _)) = Stored::open(folder) else { return };
        let Some(opened) = &stored.opened else { return };
        for task in stored.tasks.iter().filter(|task| !task.has_end()) {
            self.learn(opened, &task.assigned, &task.events);
        }
    }
}

/// The version of Windows that facts tell.
fn windows_of(events: &[Event]) -> Option<String> {
    events.iter().rev().find_map(|event| match event {
        Event::ClaimAccepted(accepted) if accepted.fact.kind == "os_version" => version(&accepted.fact),
        _ => None,
    })
}

fn version(fact: &FactEntry) -> Option<String> {
    let text = |name: &str| {
        let bound = fact.values.iter().find(|bound| bound.field == name)?;
        Some(bound.value.to_text().into_owned())
    };
    let build = text("build").or_else(|| text("build_number"))?.parse().ok()?;
    let windows = detect::Windows::of_build(build, &text("product_name").unwrap_or_default())?;
    Some(windows.generation.name().to_owned())
}

/// Seconds since 1970.
fn seconds(clock: &dyn Clock) -> i64 {
    i64::try_from(clock.now().unix_nanoseconds() / 1_000_000_000).unwrap_or(i64::MAX)
}
