//! The conversation: what a line is, and what is answered.

use super::ConsoleArguments;
use super::desk::Desk;
use super::input::{Input, Typed};
use super::slash::{self, Does};
use crate::commands::ask::Answered;
use crate::commands::{ended, execute};
use crate::failure::{Failure, describe};
use crate::platform::Signals;
use crate::printer::Printer;
use ::graph::Run;
use app::{Answerer, CaseTables, EXCHANGES, Exchange, Follow, Interrupt, Question, ToAsk, World};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;

/// How often the line is drawn that tells what goes on.
const TICK: Duration = Duration::from_millis(200);

/// How often one question is asked back.
const BACK: usize = 2;

/// What stands before an answer to a question back.
const BACK_PROMPT: &str = "answer> ";

/// A conversation.
pub(super) struct Talk<'a> {
    arguments: &'a ConsoleArguments,
    desk: Desk,
    input: Input,
    runtime: Runtime,
    signals: Signals,
    /// The last exchanges, the oldest first.
    exchanges: VecDeque<Exchange>,
    /// What questions are not about, as the person has said, by their texts.
    dismissed: BTreeMap<String, BTreeSet<&'static str>>,
    /// A signal that came while something was done and ends the program.
    stopped: Option<u8>,
}

/// What came of work that can be ended.
enum Worked<T> {
    Done(T),
    /// Ctrl-C: it has ended, and nothing of it is told.
    Ended,
}

impl<'a> Talk<'a> {
    pub(super) fn new(
        arguments: &'a ConsoleArguments,
        desk: Desk,
        input: Input,
        runtime: Runtime,
        signals: Signals,
    ) -> Talk<'a> {
        Talk {
            arguments,
            desk,
            input,
            runtime,
            signals,
            exchanges: VecDeque::new(),
            dismissed: BTreeMap::new(),
            stopped: None,
        }
    }

    /// Opens what is asked; gives what is said of it.
    pub(super) fn begin(&mut self, printer: &Printer) -> Result<String, Failure> {
        if let Some(folder) = self.desk.again().cloned() {
            self.desk.stage.begin("continuing the run");
            let going = self.desk.go_on(self.arguments, printer);
            self.runtime.block_on(going)?;
            self.desk.stage.clear();
            let told = format!("continuing {}, which was not sealed", folder.display());
            printer.complain(&report::terminal(&told));
        }
        let known = self.looked(printer, |tables| app::known_names(tables).map_err(Failure::Ask))?;
        if let Worked::Done(world) = known {
            self.desk.world = world;
        }
        self.tell_the_editor();
        let labels = self.desk.labels();
        let (name, pieces) = (self.desk.name(), labels.len());
        let of = if pieces == 1 { "1 piece".to_owned() } else { format!("{pieces} pieces") };
        let told = report::terminal(&format!("{name}: {of} of evidence ({})", labels.join(", ")));
        Ok(format!("{told}\n/help lists the commands, Ctrl-D leaves"))
    }

    /// Waits for a line; after a signal that ends the program for none.
    pub(super) fn hear(&mut self, prompt: &str) -> Typed {
        if let Some(code) = self.stopped {
            return Typed::Signal(code);
        }
        self.input.restore();
        self.input.next(prompt, &self.runtime, &mut self.signals)
    }

    /// Answers a line; gives whether the conversation goes on.
    pub(super) fn answer(&mut self, line: &str, printer: &mut Printer) -> Result<bool, Failure> {
        if !self.input.is_edited() {
            printer.result(&report::terminal(&format!("> {}", line.trim())))?;
        }
        let heard = match line.trim_start().starts_with('/') {
            true => self.command(line, printer),
            false => self.question(line.trim(), printer).map(|()| true),
        };
        match heard {
            Err(failure) if failure.is_closed_pipe() => Err(failure),
            // A question that fails is no end of the conversation.
            Err(failure) => {
                printer.complain(&describe(&failure));
                Ok(true)
            }
            Ok(goes_on) => Ok(goes_on),
        }
    }

    /// Seals what was recorded, and tells where it is.
    pub(super) fn leave(mut self, left: Result<u8, Failure>, printer: &mut Printer) -> Result<u8, Failure> {
        let sealed = self.seal(printer);
        self.input.restore();
        // A line that is still waited for is waited for on a thread that nobody joins.
        self.runtime.shutdown_background();
        match (left, sealed) {
            (Ok(code), Ok(sealing)) => Ok(code.max(sealing)),
            (Err(failure), Ok(_)) => Err(failure),
            (Ok(code), Err(failure)) => Ok(ended(printer, Err(failure), code)),
            (Err(first), Err(failure)) => {
                printer.complain(&describe(&failure));
                Err(first)
            }
        }
    }

    fn seal(&mut self, printer: &mut Printer) -> Result<u8, Failure> {
        if self.desk.session_folder().is_none() {
            return Ok(0);
        }
        self.input.hush();
        let stage = self.desk.stage.clone();
        stage.begin("sealing: hashing the evidence");
        let (interrupt, signals) = (self.desk.interrupt.clone(), &mut self.signals);
        let desk = &mut self.desk;
        let (sealed, code) = self.runtime.block_on(async {
            let mut sealing = pin!(desk.seal());
            let mut tick = tokio::time::interval(TICK);
            let mut code = 0;
            loop {
                tokio::select! {
                    sealed = &mut sealing => return (sealed, code),
                    signal = signals.next() => {
                        code = signal;
                        interrupt.interrupt();
                    }
                    _ = tick.tick() => stage.paint(),
                }
            }
        });
        stage.clear();
        if let Some(folder) = sealed? {
            printer.result(&report::terminal(&format!("sealed {}", folder.display())))?;
        }
        Ok(code)
    }

    fn command(&mut self, line: &str, printer: &mut Printer) -> Result<bool, Failure> {
        let (does, words) = match slash::read(line) {
            Ok(read) => read,
            Err(told) => return printer.result(&report::terminal(&told)).map(|()| true),
        };
        match does {
            Does::Help => printer.result(&slash::help())?,
            Does::Quit => return Ok(false),
            Does::Open => self.open(&words, printer)?,
            Does::Facts
            | Does::Why
            | Does::Graph
            | Does::Timeline
            | Does::Audit
            | Does::Memory
            | Does::Report => {
                let Some(run) = self.desk.folder().map(std::path::Path::to_owned) else {
                    if does == Does::Memory {
                        return self.program(does, &words, std::path::Path::new(""), printer).map(|()| true);
                    }
                    printer.result("nothing is recorded yet: ask a question first")?;
                    return Ok(true);
                };
                self.program(does, &words, &run, printer)?;
            }
        }
        Ok(true)
    }

    /// Does what a command of the program does.
    fn program(
        &self,
        does: Does,
        words: &[String],
        run: &std::path::Path,
        printer: &mut Printer,
    ) -> Result<(), Failure> {
        match slash::arguments(does, words, run, &self.desk.labels()) {
            Err(told) => printer.result(told.trim_end()),
            Ok(commands) => {
                for arguments in commands {
                    if let Err(failure) = execute(arguments, printer) {
                        if failure.is_closed_pipe() {
                            return Err(failure);
                        }
                        printer.complain(&describe(&failure));
                    }
                }
                Ok(())
            }
        }
    }

    /// Tells what is asked, or seals it and asks something else.
    fn open(&mut self, words: &[String], printer: &mut Printer) -> Result<(), Failure> {
        let Some(what) = words.first() else {
            let run = match self.desk.folder() {
                Some(folder) => format!("; run {}", folder.display()),
                None => "; nothing is recorded yet".to_owned(),
            };
            return printer.result(&report::terminal(&format!("{}{run}", self.desk.name())));
        };
        // What cannot be opened leaves everything as it is.
        let answerers = Arc::clone(&self.desk.answerers);
        let next = Desk::open(self.arguments, what.as_ref(), answerers, self.input.is_edited(), printer)?;
        self.seal(printer)?;
        self.desk = next;
        self.exchanges.clear();
        let told = self.begin(printer)?;
        printer.result(&told)
    }

    /// Answers a question, or what goes on from one.
    fn question(&mut self, line: &str, printer: &mut Printer) -> Result<(), Failure> {
        let read = app::read_question(line).map_err(Failure::Ask)?;
        let before = self.exchanges.make_contiguous();
        match app::follow_up(&read, before, &self.desk.world) {
            Follow::Whole => self.ask(read, 0, printer),
            Follow::Filled(question) => self.ask_as(&question, 0, printer),
            Follow::Reaction => printer.result(&self.taken()),
            Follow::Wrong => self.wrong(printer),
            Follow::Lacks(told) => printer.result(&report::terminal(&told)),
            Follow::Either { question, choices } => {
                printer.result(&report::terminal(&question))?;
                let Some(reply) = self.back(printer)? else { return Ok(()) };
                let chosen = choices.iter().find(|(name, _)| name.eq_ignore_ascii_case(reply.trim()));
                // Whoever says nothing goes ahead with the first one.
                let first = choices.first().filter(|_| reply.trim().is_empty());
                match chosen.or(first) {
                    Some((_, question)) => self.ask_as(question, 0, printer),
                    None => self.ask(app::read_question(reply.trim()).map_err(Failure::Ask)?, BACK, printer),
                }
            }
        }
    }

    /// Asks the last question again in another way, because its answer was wrong: as one about something else, or of the model.
    fn wrong(&mut self, printer: &mut Printer) -> Result<(), Failure> {
        let Some(last) = self.exchanges.back() else { return printer.result(&self.taken()) };
        let (text, question) = (last.question.text().to_owned(), last.question.clone());
        let dismissed = self.dismissed.entry(text.clone()).or_default();
        let is_understood = last.topic.is_some_and(|topic| dismissed.insert(topic));
        let other = question.without(dismissed);
        // A reaction asks nothing back.
        let topic = other.topics().next().filter(|_| is_understood);
        if let Some(topic) = topic {
            let told = format!("read as a question about {}: {text}", topic.about);
            printer.result(&report::terminal(&told))?;
            return self.ask(other, BACK, printer);
        }
        if !self.desk.answerers.has_model() {
            return printer.result(&self.taken());
        }
        let text = format!("{text} (the answer that was given before is wrong)");
        printer.result(&report::terminal(&format!("asking the model: {text}")))?;
        let question = app::read_question(&text).map_err(Failure::Ask)?;
        let all = question.topics().map(|topic| topic.id.as_str()).collect();
        self.ask(question.without(&all), BACK, printer)
    }

    /// What is said where somebody only says what they think of the answer.
    fn taken(&self) -> String {
        match self.exchanges.back() {
            None => "ask a question; /help lists the commands".to_owned(),
            Some(last) => {
                let read = report::terminal(last.question.text());
                format!("the last question was read as: {read}\nsay what differs, or ask in other words")
            }
        }
    }

    /// Prints what a line is read as, and asks that.
    fn ask_as(&mut self, question: &str, backs: usize, printer: &mut Printer) -> Result<(), Failure> {
        printer.result(&report::terminal(&format!("read as: {question}")))?;
        self.ask(app::read_question(question).map_err(Failure::Ask)?, backs, printer)
    }

    /// Asks a question, which was asked back so often already.
    fn ask(&mut self, question: Question, backs: usize, printer: &mut Printer) -> Result<(), Failure> {
        let question = match self.dismissed.get(question.text()) {
            Some(topics) => question.without(topics),
            None => question,
        };
        let was_recorded = self.desk.session_folder().is_some();
        let Worked::Done(answer) = self.worked(question, printer)? else {
            // What was ended leaves no word.
            return Ok(());
        };
        printer.result(&answer.told())?;
        if let Some(folder) = self.desk.session_folder().filter(|_| !was_recorded) {
            let told = format!("recorded in {}, which is sealed when you leave", folder.display());
            printer.complain(&report::terminal(&told));
        }
        if answer.is_understood() || answer.is_of_a_model() {
            self.exchanges.push_back(answer.exchange());
            while self.exchanges.len() > EXCHANGES {
                self.exchanges.pop_front();
            }
        }
        self.tell_the_editor();
        if !answer.asks_back() || backs >= BACK {
            return Ok(());
        }
        let Some(reply) = self.back(printer)? else { return Ok(()) };
        if reply.trim().is_empty() {
            return match app::first_reading(answer.read()) {
                Some(first) => self.ask_as(&first, BACK, printer),
                None => Ok(()),
            };
        }
        if reply.trim_start().starts_with('/') {
            // A command is no answer.
            return self.command(&reply, printer).map(|_| ());
        }
        let reply = app::read_question(&reply).map_err(Failure::Ask)?;
        if app::follow_up(&reply, &[], &self.desk.world) == Follow::Reaction {
            return Ok(());
        }
        self.ask_as(&app::completed(answer.read(), &reply), backs + 1, printer)
    }

    /// Waits for the answer to a question back; `None` where somebody leaves it.
    fn back(&mut self, printer: &mut Printer) -> Result<Option<String>, Failure> {
        self.input.forget();
        match self.hear(BACK_PROMPT) {
            Typed::Line(line) => {
                if !self.input.is_edited() {
                    printer.result(&report::terminal(&format!("{BACK_PROMPT}{}", line.trim())))?;
                }
                Ok(Some(line))
            }
            // Nothing more comes: that is an empty answer.
            Typed::End if !self.input.is_edited() => Ok(Some(String::new())),
            Typed::End | Typed::Interrupted => Ok(None),
            Typed::Failed(source) => Err(Failure::Input(source)),
            Typed::Signal(code) => {
                self.stopped = Some(code);
                Ok(None)
            }
        }
    }

    /// Looks for an answer, and has it recorded where it is not.
    fn worked(&mut self, question: Question, printer: &Printer) -> Result<Worked<Answered>, Failure> {
        let (run, language) = (self.desk.run(), self.arguments.lang);
        let looked = self.looked(printer, move |tables| {
            Answered::looked(tables, question, run.as_deref(), language)
                .map(|answer| (answer, tables.notes()))
        })?;
        let Worked::Done((answer, notes)) = looked else { return Ok(Worked::Ended) };
        for note in notes {
            printer.complain(&report::terminal(&format!("note: {note}")));
        }
        match answer.to_ask(&self.desk.answerers)? {
            Some(ask) => self.recorded(answer, ask, printer),
            None => Ok(Worked::Done(answer)),
        }
    }

    /// Does something over the tables that Ctrl-C ends.
    fn looked<T: Send + 'static>(
        &mut self,
        printer: &Printer,
        look: impl FnOnce(&CaseTables) -> Result<T, Failure> + Send + 'static,
    ) -> Result<Worked<T>, Failure> {
        self.input.hush();
        self.desk.stage.begin("looking");
        self.desk.stage.paint();
        let opened = self.desk.tables(self.arguments, printer);
        let tables = match opened {
            Ok(tables) => tables,
            Err(failure) => {
                self.desk.stage.clear();
                return Err(failure);
            }
        };
        let (stage, signals, over) = (&self.desk.stage, &mut self.signals, Arc::clone(&tables));
        let (done, code) = self.runtime.block_on(async {
            let mut looking = tokio::task::spawn_blocking(move || look(&over));
            let mut tick = tokio::time::interval(TICK);
            let mut code = None;
            loop {
                tokio::select! {
                    done = &mut looking => return (done, code),
                    signal = signals.next() => {
                        code = Some(signal);
                        tables.stop();
                    }
                    _ = tick.tick(), if code.is_none() => stage.paint(),
                }
            }
        });
        self.desk.stage.clear();
        match (done, code) {
            (_, Some(code)) => {
                self.desk.drop_tables();
                self.ended_by(code);
                Ok(Worked::Ended)
            }
            (Ok(done), None) => done.map(Worked::Done),
            (Err(_), None) => Err(Failure::Tables(app::TablesError::Panicked)),
        }
    }

    /// Has the answer recorded in the run of the session, by code or by a model.
    fn recorded(
        &mut self,
        mut answer: Answered,
        ask: ToAsk,
        printer: &Printer,
    ) -> Result<Worked<Answered>, Failure> {
        let cancel = Interrupt::new();
        let stage = self.desk.stage.clone();
        match &ask.by {
            Answerer::Code => stage.begin("recording"),
            Answerer::Model { .. } => stage.begin_task(&ask.question.question),
        }
        let (desk, signals, arguments) = (&mut self.desk, &mut self.signals, self.arguments);
        let (task, code) = self.runtime.block_on(async {
            let mut recording = pin!(desk.record(ask, &cancel, arguments, printer));
            let mut tick = tokio::time::interval(TICK);
            let mut code = None;
            loop {
                tokio::select! {
                    done = &mut recording => return (done, code),
                    signal = signals.next() => {
                        code = Some(signal);
                        cancel.interrupt();
                        stage.clear();
                    }
                    _ = tick.tick(), if code.is_none() => stage.paint(),
                }
            }
        });
        self.desk.stage.clear();
        let task = task?;
        let run = self.desk.read_again()?;
        if let Some(code) = code {
            self.ended_by(code);
            return Ok(Worked::Ended);
        }
        let (Some(task), Some(run)) = (task, run) else { return Ok(Worked::Ended) };
        let tables = self.desk.tables(self.arguments, printer)?;
        answer.recorded(&tables, &run, Some(task))?;
        Ok(Worked::Done(answer))
    }

    /// A signal has ended a question; SIGTERM ends the program, too.
    fn ended_by(&mut self, code: u8) {
        if code != Failure::INTERRUPTED {
            self.stopped = Some(code);
        }
    }

    /// What can be completed from here on.
    fn tell_the_editor(&self) {
        let World { hosts, accounts, .. } = &self.desk.world;
        let hosts = hosts.iter().flat_map(|host| host.names.iter().chain([&host.label]));
        let names = hosts.chain(accounts.iter().flat_map(|account| &account.names)).cloned().collect();
        let run = self.desk.run();
        let ids = |run: &Run| run.facts().map(|(_, accepted)| accepted.fact.id.to_string()).collect();
        let facts = run.as_deref().map(ids).unwrap_or_default();
        self.input.know(|known| (known.names, known.facts) = (names, facts));
    }
}
