//! `locard graph`.

mod rows;

use crate::arguments::CacheArguments;
use crate::commands::facts::{since, until};
use crate::commands::{any_run_folder, conditions};
use crate::failure::Failure;
use crate::printer::Printer;
use crate::unknown;
use ::graph::Run;
use ::graph::connections::{Connections, Filter, RelationKind, connections};
use clap::ValueEnum;
use ledger::{Utc, Writer};
use report::connections::{Answer, Ask, Asked, FilterBy, Question, ask, cytoscape, dot, graphml};
use std::collections::BTreeSet;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct GraphArguments {
    /// A run folder, the beginning of its name, latest, or latest:CASE
    pub(crate) run: String,
    /// What is asked [default: summary]
    #[arg(value_enum, default_value_t, hide_default_value = true)]
    pub(crate) question: QuestionArgument,
    /// What it is asked about: an id or a name; `path` takes two
    #[arg(value_name = "X")]
    pub(crate) ends: Vec<String>,
    /// Folder that holds the run folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// Another run of the case; may be given several times
    ///
    /// What has the same strong key is one; a name joins nothing.
    #[arg(long, value_name = "RUN")]
    pub(crate) with: Vec<String>,
    /// How far neighbours (1) or a story (8) may be, in relations
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<u32>,
    /// How many ways, the best first [default: 1]
    ///
    /// One is the shortest; more are those with the best evidence.
    #[arg(short, long = "k", value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) k: Option<u16>,
    /// The most hubs or islands that are listed [default: 20]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) most: Option<usize>,
    /// Only relations that may be of this time, or later
    ///
    /// An instant (RFC 3339) or a day (UTC); what no time dates is left out.
    #[arg(long, value_name = "TIME", value_parser = since)]
    pub(crate) since: Option<Utc>,
    /// Only relations that may be of this time, or earlier
    ///
    /// An instant (RFC 3339) or a day (UTC); what no time dates is left out.
    #[arg(long, value_name = "TIME", value_parser = until)]
    pub(crate) until: Option<Utc>,
    /// Only relations of this kind, such as ran
    ///
    /// May be given several times.
    #[arg(long = "relation", value_name = "KIND")]
    pub(crate) relations: Vec<String>,
    /// Only what facts of this host show, by label or name
    ///
    /// A label of evidence, or a computer's name; may be given several times.
    #[arg(long = "host", value_name = "HOST")]
    pub(crate) hosts: Vec<String>,
    /// Only relations of this confidence at least, 0 to 1000
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, hide_short_help = true, value_parser = clap::value_parser!(u16).range(0..=1000))]
    pub(crate) confidence: u16,
    /// Only what nobody less trusted could have written
    ///
    /// any-user, administrator, acquisition or system: a fact counts where whoever could have written each of its values is trusted at least as much.
    #[arg(long, value_name = "WHO", value_parser = writer, hide_short_help = true)]
    pub(crate) writer: Option<Writer>,
    /// Also look for X in all records of this evidence, as `locard sql` reads them
    ///
    /// A case folder or file, or evidence. What is found are rows and no facts: they are listed apart, and enter no count, path or story.
    #[arg(long, value_name = "CASE", hide_short_help = true)]
    pub(crate) evidence: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) kept: CacheArguments,
    /// Decode the evidence even where that cannot be confined
    #[arg(long, requires = "evidence", hide_short_help = true)]
    pub(crate) unconfined: bool,
    /// How it is printed
    #[arg(long, value_enum, default_value = "table")]
    pub(crate) format: GraphFormat,
    /// The language of the sentences about facts: en or de
    #[arg(long, value_name = "LANGUAGE", default_value_t, hide_short_help = true)]
    pub(crate) lang: report::Language,
}

/// The questions, as they are asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum QuestionArgument {
    /// Entities and relations by kind
    #[default]
    Summary,
    /// What X is: its names and its relations
    Node,
    /// What lies next to X
    Neighbours,
    /// How two things are connected
    Path,
    /// The hosts and files that tell of X
    WhereElse,
    /// What is told of X, in the order of time
    Timeline,
    /// What X came from, and what became of it
    Story,
    /// What has the most neighbours
    Hubs,
    /// What hangs together
    Islands,
    /// Facts that do not fit together
    Contradictions,
}

impl From<QuestionArgument> for Question {
    fn from(question: QuestionArgument) -> Question {
        match question {
            QuestionArgument::Summary => Question::Summary,
            QuestionArgument::Node => Question::Node,
            QuestionArgument::Neighbours => Question::Neighbours,
            QuestionArgument::Path => Question::Path,
            QuestionArgument::WhereElse => Question::WhereElse,
            QuestionArgument::Timeline => Question::Timeline,
            QuestionArgument::Story => Question::Story,
            QuestionArgument::Hubs => Question::Hubs,
            QuestionArgument::Islands => Question::Islands,
            QuestionArgument::Contradictions => Question::Contradictions,
        }
    }
}

/// The forms of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// For people
    Table,
    /// For programs
    Json,
    /// For Graphviz
    Dot,
    /// For yEd, Gephi and NetworkX
    Graphml,
    /// For Cytoscape
    Cytoscape,
}

pub(super) fn execute(arguments: &GraphArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let (mut runs, mut folders) = (Vec::new(), BTreeSet::new());
    for name in std::iter::once(&arguments.run).chain(&arguments.with) {
        let folder = any_run_folder(name, &arguments.runs)?;
        // A run that is named twice counts once.
        if !folders.insert(folder.canonicalize().unwrap_or_else(|_| folder.clone())) {
            continue;
        }
        let mut run = app::load_run(&folder).map_err(Failure::Open)?;
        run.tell_in(arguments.lang);
        runs.push(run);
    }
    let runs: Vec<&Run> = runs.iter().collect();
    let connections = connections(&runs);
    let question = Question::from(arguments.question);
    check_options(arguments, question)?;
    let asked = Ask {
        question,
        ends: arguments.ends.clone(),
        depth: arguments.depth.unwrap_or(if question == Question::Story { 8 } else { 1 }),
        ways: arguments.k.unwrap_or(1).into(),
        most: arguments.most.unwrap_or(20),
        filter: filter(arguments, &connections)?,
        least: arguments.confidence,
    };
    match ask(&runs, &connections, &asked) {
        Asked::Answer(mut answer) => {
            if let Some(case) = &arguments.evidence {
                rows::add(case, arguments, &connections, &mut answer, printer)?;
            }
            print(arguments.format, &runs, &connections, &answer, printer)?;
            Ok(0)
        }
        Asked::Several { text, candidates } => {
            Err(Failure::Graph(GraphFailure::Several { text, candidates }))
        }
        Asked::Span => Err(Failure::Graph(GraphFailure::Span)),
        Asked::Filter { question, by } => {
            Err(Failure::Graph(GraphFailure::Filter { question: question.name(), by: option(by) }))
        }
        Asked::Nothing { text } => Err(Failure::Graph(GraphFailure::Nothing { text })),
        Asked::Ends { question } => Err(Failure::Graph(GraphFailure::Ends {
            question: question.name(),
            expected: question.ends(),
            found: arguments.ends.len(),
        })),
    }
}

/// Fails on an option that means nothing for the question.
fn check_options(arguments: &GraphArguments, question: Question) -> Result<(), Failure> {
    let is_written = matches!(arguments.format, GraphFormat::Table | GraphFormat::Json);
    let needless = [
        ("--depth", arguments.depth.is_some(), &[Question::Neighbours, Question::Story][..]),
        ("-k", arguments.k.is_some(), &[Question::Path]),
        ("--most", arguments.most.is_some(), &[Question::Hubs, Question::Islands]),
    ];
    for (option, is_given, fitting) in needless {
        if is_given && !fitting.contains(&question) {
            return Err(Failure::Graph(GraphFailure::Option { question: question.name(), option }));
        }
    }
    match question {
        Question::Contradictions if !is_written => Err(Failure::Graph(GraphFailure::Undrawn)),
        _ => Ok(()),
    }
}

fn print(
    format: GraphFormat,
    runs: &[&Run],
    connections: &Connections,
    answer: &Answer,
    printer: &mut Printer,
) -> Result<(), Failure> {
    match format {
        GraphFormat::Table => {
            let conditions: String = runs.iter().map(|run| conditions(run)).collect();
            printer.result(&format!("{}{conditions}", answer.text))
        }
        GraphFormat::Json => printer.result(&report::json_text(&answer.value)),
        GraphFormat::Dot => printer.result(&dot(connections, answer)),
        GraphFormat::Graphml => printer.result(&graphml(connections, answer)),
        GraphFormat::Cytoscape => printer.result(&report::json_text(&cytoscape(connections, answer))),
    }
}

/// The command-line option of a filter.
const fn option(by: FilterBy) -> &'static str {
    match by {
        FilterBy::Relation => "--relation",
        FilterBy::Confidence => "--confidence",
    }
}

/// Parses the name of who could have written something.
fn writer(text: &str) -> Result<Writer, String> {
    Writer::of_name(&text.replace(['_', '-'], " "))
        .ok_or_else(|| "expected any-user, administrator, acquisition or system".to_owned())
}

/// The filter. Fails if the runs do not know a relation or a host.
fn filter(arguments: &GraphArguments, connections: &Connections) -> Result<Filter, Failure> {
    let mut kinds = BTreeSet::new();
    for name in &arguments.relations {
        match RelationKind::of_name(name) {
            Some(kind) => {
                kinds.insert(kind);
            }
            None => unknown::check("relation", name, RelationKind::ALL.into_iter().map(RelationKind::name))?,
        }
    }
    let mut hosts = BTreeSet::new();
    for name in &arguments.hosts {
        let called: Vec<String> = connections.hosts_called(name).map(str::to_owned).collect();
        if called.is_empty() {
            unknown::check("host", name, connections.hosts())?;
        }
        hosts.extend(called);
    }
    let (since, until, writer) = (arguments.since, arguments.until, arguments.writer);
    Ok(Filter { since, until, kinds, hosts, writer, ..Filter::default() })
}

/// Why a question about connections was not answered.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GraphFailure {
    /// A text matches several entities equally well.
    #[error("{text:?} fits {} things alike", candidates.len())]
    Several {
        /// The text as it was typed.
        text: String,
        /// One entity per line.
        candidates: Vec<String>,
    },
    /// A text matches no entity.
    #[error("no fact names {text:?}")]
    Nothing {
        /// The text as it was typed.
        text: String,
    },
    /// A range of time that ends before it begins is empty.
    #[error("--since is later than --until")]
    Span,
    /// A question about facts was given a filter for relations.
    #[error("{question} is about facts, which {by} does not tell apart")]
    Filter {
        /// The question's name.
        question: &'static str,
        /// The option of the filter.
        by: &'static str,
    },
    /// The question is not about one thing, so there is nothing to look for in the evidence.
    #[error("--evidence looks for one thing, and {question} is not about one")]
    Evidence {
        /// The question's name.
        question: &'static str,
    },
    /// An option was given that means nothing for the question.
    #[error("{question} takes no {option}")]
    Option {
        /// The question's name.
        question: &'static str,
        /// The option as it was typed.
        option: &'static str,
    },
    /// Contradictions are pairs of facts, which the formats for drawing cannot show.
    #[error("contradictions cannot be drawn: use --format table or --format json")]
    Undrawn,
    /// Too few or too many things were named.
    #[error("{question} takes {}, {found} given", things(*expected))]
    Ends {
        /// The question's name.
        question: &'static str,
        /// How many things the question is about.
        expected: usize,
        /// How many were named.
        found: usize,
    },
}

/// In words, how many arguments a question takes.
const fn things(expected: usize) -> &'static str {
    match expected {
        0 => "no argument",
        1 => "one argument, X",
        _ => "two arguments, X and Y",
    }
}

/// The most candidates to list.
const LISTED: usize = 20;

impl GraphFailure {
    /// A hint at what to type instead.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            GraphFailure::Several { candidates, .. } => {
                let more = candidates.len().saturating_sub(LISTED);
                let more = (more > 0).then(|| format!("and {more} more; name more of it"));
                let listed = candidates.iter().take(LISTED).cloned().chain(more);
                Some(format!("one of these, by its id:\n  {}", listed.collect::<Vec<_>>().join("\n  ")))
            }
            GraphFailure::Nothing { .. } => {
                Some("X is an id, a name or a part of one; `hubs` lists what has most relations".to_owned())
            }
            GraphFailure::Ends { .. }
            | GraphFailure::Evidence { .. }
            | GraphFailure::Filter { .. }
            | GraphFailure::Option { .. }
            | GraphFailure::Undrawn
            | GraphFailure::Span => None,
        }
    }
}
