//! `locard memory`: lets a person see, move and forget what earlier runs showed.

use super::print;
use crate::arguments::{Format, MemoryArguments, OutputArguments};
use crate::failure::Failure;
use crate::help;
use crate::printer::Printer;
use app::{Memory, MemoryUse, StoredLessons, SystemClock};
use clap::Subcommand;
use memory::{Kept, Lesson};
use report::terminal;
use serde_json::{Value, json};
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most bytes of a file to import.
const LARGEST: u64 = 64 << 20;

#[derive(Debug, clap::Args)]
pub(crate) struct MemoryCommandArguments {
    #[command(subcommand)]
    pub(crate) what: MemoryCommand,
    /// Folder of the memory
    ///
    /// By default locard/memory in $XDG_DATA_HOME, or in ~/.local/share.
    #[arg(long, value_name = "FOLDER", global = true)]
    pub(crate) memory: Option<PathBuf>,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text", global = true)]
    pub(crate) format: Format,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// List all lessons
    #[command(after_long_help = help::MEMORY_LIST)]
    List,
    /// Show one lesson: what it says, what it depends on, how often it was seen
    #[command(after_long_help = help::MEMORY_SHOW)]
    Show {
        /// Its id
        id: String,
    },
    /// List the lessons in which words occur, the best first
    #[command(after_long_help = help::MEMORY_SEARCH)]
    Search {
        /// The words
        #[arg(required = true, value_name = "WORDS")]
        words: Vec<String>,
    },
    /// Forget a lesson, a case or everything; what is forgotten is overwritten
    #[command(after_long_help = help::MEMORY_FORGET)]
    Forget(ForgetArguments),
    /// Write the lessons that hold for all cases, a line of JSON each
    #[command(after_long_help = help::MEMORY_EXPORT)]
    Export {
        /// Write them into a new file instead of printing them
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        writing: OutputArguments,
    },
    /// Read lessons that were exported; lines that are no lessons are refused
    #[command(after_long_help = help::MEMORY_IMPORT)]
    Import {
        /// The file
        file: PathBuf,
    },
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub(crate) struct ForgetArguments {
    /// The id of a lesson
    pub(crate) id: Option<String>,
    /// All lessons of one piece of evidence: the beginning of the key that list shows
    #[arg(long, value_name = "KEY")]
    pub(crate) case: Option<String>,
    /// Everything
    #[arg(long)]
    pub(crate) all: bool,
}

pub(super) fn execute(arguments: &MemoryCommandArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let folder = arguments.memory.clone().or_else(user_memory).ok_or(Failure::NoMemory)?;
    let memory = Memory::new(folder).map_err(Failure::Memory)?;
    let format = arguments.format;
    match &arguments.what {
        MemoryCommand::List => listed(&memory.all().map_err(Failure::Memory)?, format, printer)?,
        MemoryCommand::Search { words } => {
            listed(&memory.find(&words.join(" ")).map_err(Failure::Memory)?, format, printer)?;
        }
        MemoryCommand::Show { id } => {
            let found = memory.one(id).map_err(Failure::Memory)?;
            let (case, kept) = found.ok_or_else(|| Failure::NoLesson { id: id.clone() })?;
            let value = || json!({"locard_memory": 1, "case": case, "lesson": value_of(&kept)});
            print(printer, format, || in_full(case.as_deref(), &kept), value)?;
        }
        MemoryCommand::Forget(what) => {
            let lessons = forget(&memory, what)?;
            let value = || json!({"locard_memory": 1, "forgotten": lessons});
            print(printer, format, || format!("forgot {}", counted(lessons)), value)?;
        }
        MemoryCommand::Export { output, writing } => {
            let text = memory.export().map_err(Failure::Memory)?;
            match output {
                None => printer.stream().write_all(text.as_bytes()).map_err(Failure::Output)?,
                Some(path) => app::write_output(path, writing.overwrite(), text.as_bytes())
                    .map_err(Failure::OutputFile)?,
            }
        }
        MemoryCommand::Import { file } => {
            let text = read(file).map_err(|source| Failure::Lessons { path: file.clone(), source })?;
            let imported = memory.import(&text, &SystemClock).map_err(Failure::Memory)?;
            let told = || {
                let mut told = format!("{} new, {} known before", counted(imported.new), imported.known);
                if imported.refusals > 0 {
                    let lines: Vec<String> = imported.refused.iter().map(usize::to_string).collect();
                    let _ = write!(told, "; {} lines refused: {}", imported.refusals, lines.join(", "));
                }
                told
            };
            print(printer, format, told, || json!({"locard_memory": 1, "imported": imported}))?;
        }
    }
    Ok(0)
}

fn forget(memory: &Memory, what: &ForgetArguments) -> Result<usize, Failure> {
    match (&what.id, &what.case) {
        (Some(id), _) => match memory.forget(id).map_err(Failure::Memory)? {
            true => Ok(1),
            false => Err(Failure::NoLesson { id: id.clone() }),
        },
        (None, Some(key)) => Ok(memory.forget_case(key).map_err(Failure::Memory)?.1),
        (None, None) => memory.forget_all().map_err(Failure::Memory),
    }
}

fn counted(lessons: usize) -> String {
    if lessons == 1 { "1 lesson".to_owned() } else { format!("{lessons} lessons") }
}

fn listed(all: &[StoredLessons], format: Format, printer: &mut Printer) -> Result<(), Failure> {
    let text = || {
        let mut out = String::new();
        for stored in all.iter().filter(|stored| !stored.lessons.is_empty()) {
            let _ = writeln!(out, "{}:", of(stored.case.as_deref()));
            for kept in &stored.lessons {
                let _ = writeln!(out, "  {}  {}", terminal(&kept.id), terminal(&line(kept)));
            }
        }
        if out.is_empty() { "no lessons".to_owned() } else { out }
    };
    let value = || {
        let stores = all.iter().map(|stored| {
            json!({"case": stored.case, "lessons": stored.lessons.iter().map(value_of).collect::<Vec<_>>()})
        });
        json!({"locard_memory": 1, "stores": stores.collect::<Vec<_>>()})
    };
    print(printer, format, text, value)
}

fn of(case: Option<&str>) -> String {
    match case {
        None => "all cases".to_owned(),
        Some(key) => format!("case {}", key.chars().take(12).collect::<String>()),
    }
}

/// A lesson in one line, in the words that agents read; if it advises nothing, it begins with the outcome.
fn line(kept: &Kept) -> String {
    let begin = match kept.lesson.outcome.rule() {
        Some(rule) => rule.words(),
        None => kept.lesson.outcome.name(),
    };
    format!("{begin} {}", memory::told(kept))
}

fn in_full(case: Option<&str>, kept: &Kept) -> String {
    let Lesson { conditions, words, agent, question, .. } = &kept.lesson;
    let kinds: Vec<&str> = conditions.kinds.iter().map(|kind| kind.name()).collect();
    let joined =
        |texts: &std::collections::BTreeSet<String>| texts.iter().cloned().collect::<Vec<_>>().join(" ");
    let from = match (kept.origin.run.as_str(), kept.origin.task) {
        ("", _) => "imported".to_owned(),
        (run, task) => format!("run {run} (a digest of its name and time), task {task}"),
    };
    let rows = [
        ("of", of(case)),
        ("agent", agent.clone().unwrap_or_default()),
        ("question", question.clone().unwrap_or_default()),
        ("evidence", kinds.join(" ")),
        ("Windows", conditions.windows.clone().unwrap_or_default()),
        ("sources", joined(&conditions.sources)),
        ("words", joined(words)),
        ("learned", from),
        ("seen", format!("in {} tasks, the opposite in {}", kept.seen, kept.contradicted)),
        ("weight", format!("{:.2}", kept.weight())),
    ];
    let mut out = format!("{}\n{}\n", terminal(&kept.id), terminal(&line(kept)));
    for (name, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(out, "  {name:9} {}", terminal(value));
    }
    out
}

fn value_of(kept: &Kept) -> Value {
    let mut value = json!(kept);
    if let Some(members) = value.as_object_mut() {
        members.insert("text".to_owned(), json!(line(kept)));
        members.insert("weight".to_owned(), json!(kept.weight()));
    }
    value
}

/// The content of a regular file, if it is not too large.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let meta = path.metadata()?;
    match meta.is_file() {
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "expected a regular file")),
        true if meta.len() > LARGEST => {
            Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("expected at most {LARGEST} bytes")))
        }
        true => std::fs::read(path),
    }
}

/// How runs use the memory, if at all. Nothing is ever written inside the evidence.
pub(super) fn memory_use(
    arguments: &MemoryArguments,
    evidence: &[PathBuf],
    printer: &Printer,
) -> Result<MemoryUse, Failure> {
    #[expect(clippy::disallowed_methods, reason = "whether there is a memory can be set in the environment")]
    let is_off = std::env::var_os("LOCARD_NO_MEMORY").is_some_and(|value| !value.is_empty());
    let folder = match &arguments.memory {
        _ if arguments.no_memory => None,
        Some(folder) => {
            app::refuse_runs_inside(folder, evidence).map_err(|error| Failure::Run(Box::new(error)))?;
            Some(folder.clone())
        }
        None if is_off => None,
        None => user_memory().filter(|folder| {
            let is_outside = app::refuse_runs_inside(folder, evidence).is_ok();
            if !is_outside {
                printer.complain("note: nothing is recalled or learned: the memory lies inside the evidence");
            }
            is_outside
        }),
    };
    let memory = folder.map(Memory::new).transpose().map_err(Failure::Memory)?;
    Ok(memory.map_or(MemoryUse::None, |memory| MemoryUse::Of(Arc::new(memory))))
}

/// The user's memory folder: `$XDG_DATA_HOME/locard/memory` or `~/.local/share/locard/memory`.
///
/// A variable whose value is not an absolute path counts as unset (XDG Base Directory Specification).
#[expect(clippy::disallowed_methods, reason = "the user's folders stand in the environment")]
fn user_memory() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = set("XDG_DATA_HOME").or_else(|| Some(set("HOME")?.join(".local/share")))?;
    Some(data.join("locard").join("memory"))
}
