//! What follows if no row fits: "no", or why it cannot be determined.

use super::Found;
use crate::answer::{Answer, Cited, Reason, Verdict};
use crate::matching::sought;
use crate::topic::Source;
use crate::world::LogSpan;

impl<'a> Found<'a> {
    /// Returns the answer if no row fits.
    pub(super) fn nothing(&self) -> Answer {
        let topic = self.reading.topic;
        let undetermined =
            |reason: Reason, note: String| Answer::not_determinable(reason, Some(&topic.id), note);
        if !self.sources().any(|source| self.is_there(source)) {
            let note = format!("nothing in the evidence could tell of {}", topic.about);
            return undetermined(Reason::NoSource, note);
        }
        if self.is_unsure {
            let note = format!("not understood, or not found: {}", self.unmet.join(", "));
            return undetermined(Reason::Ambiguous, note);
        }
        let wants = self.question.wants;
        if self.is_partly_met() {
            let note = "records name a part of what was asked, and none all of it".to_owned();
            return undetermined(Reason::NotRecorded, note);
        }
        if !self.left_out.is_empty() && (wants.yes_or_no || !wants.is_of_one()) {
            return self.no(self.left_out.iter().map(|at| self.cited(*at)).collect());
        }
        let is_told = |class: &str| topic.tells.iter().any(|told| told == class);
        if self.question.class.is_some_and(|class| !is_told(class)) {
            return undetermined(Reason::Ambiguous, format!("{} do not tell of that", topic.about));
        }
        if self.shows_nothing() {
            let mut no = self.no(Vec::new());
            no.notes.extend(self.silent_hosts());
            return no;
        }
        let note = format!("nothing of the sort is recorded among {}", topic.about);
        undetermined(Reason::NotRecorded, note)
    }

    /// Returns "no" with the rows that show it, if there are any.
    pub(crate) fn no(&self, cited: Vec<Cited>) -> Answer {
        let topic = self.reading.topic;
        let note = cited.is_empty().then(|| format!("none recorded among {}", topic.about));
        Answer {
            verdict: Verdict::No,
            topic: Some(&topic.id),
            cited,
            count: None,
            more: false,
            notes: note.into_iter().collect(),
            questions: Vec::new(),
        }
    }

    /// Whether rows have one of several things, or a thing that they do not tie to a person. It was not read which words of the question belong together, so that somebody else may have done it, or with something else.
    fn is_partly_met(&self) -> bool {
        let says_who = |at: &usize| self.is(*at, |source| !source.who.is_empty() && !source.linked);
        self.question.wants.yes_or_no
            && self.left_out.is_empty()
            && self.question.span.is_none()
            && !self.of_things.is_empty()
            && (self.things > 1 || !self.of_things.iter().all(says_who))
    }

    /// Whether a complete source shows that there was nothing.
    fn shows_nothing(&self) -> bool {
        let wants = self.question.wants;
        let may_be_no = wants.yes_or_no || !wants.is_of_one() && self.unmet.is_empty();
        // A setting that is not written down says nothing about what is in force.
        let is_of_state = self.sources().any(|source| source.state || source.off_flag.is_some());
        // Of a large source only rows in the span were found. If they keep the last time alone, a later one may hide an occasion in it.
        let hides = |source: &Source| self.question.span.is_some() && source.large && !source.every;
        let shows = |source: &Source| {
            source.full
                && !hides(source)
                && self.would_tell(source)
                && self.is_whole(source)
                && self.tells_of_accounts(source)
        };
        may_be_no
            && !is_of_state
            && !self.is_cut()
            && !self.may_hide
            && !self.reading.topic.attribute
            && self.sources().any(shows)
    }

    /// Says which of the hosts have no complete source.
    fn silent_hosts(&self) -> impl Iterator<Item = String> {
        let silent =
            move |host: &&String| !self.sources().any(|source| source.full && self.is_there_on(source, host));
        self.hosts.iter().filter(silent).map(|host| format!("{host} has no source that could tell"))
    }

    /// Whether a piece of evidence that is asked has a source of such records.
    pub(crate) fn is_there(&self, source: &Source) -> bool {
        self.hosts.iter().any(|host| self.is_there_on(source, host))
    }

    fn is_there_on(&self, source: &Source, host: &str) -> bool {
        match &source.log {
            None => self.world.sources.contains(&(host.to_owned(), source.record.clone())),
            Some(_) => self.logs(source, host).next().is_some(),
        }
    }

    /// Whether silence of a source means that the named accounts did nothing: it says who did something, and, if each user has own files, the files of these users are there.
    fn tells_of_accounts(&self, source: &Source) -> bool {
        if self.accounts == 0 {
            return true;
        }
        if source.who.is_empty() {
            return self.things > 0 && self.of_things.is_empty();
        }
        let of_source = |at: &usize| self.is(*at, |it| std::ptr::eq(it, source));
        let rows: Vec<usize> = self.mine.iter().copied().filter(of_source).collect();
        if source.is_owned() {
            return self.has_files_of_accounts(&rows);
        }
        // If no record says who it was, the lack of an account says nothing.
        let has_who = |at: &usize| {
            self.row(*at).is_some_and(|(row, source)| source.who.iter().any(|field| row.get(field).is_some()))
        };
        rows.is_empty() || rows.iter().any(has_who)
    }

    fn has_files_of_accounts(&self, rows: &[usize]) -> bool {
        let mut names = self.reading.names.iter().map(|name| sought(name, self.world));
        names.all(|name| {
            let owner = |at: &usize| self.row(*at).and_then(|(row, _)| row.owner());
            let owns = |at: &usize| owner(at).is_some_and(|owner| name.accounts.contains(&owner));
            name.accounts.is_empty() || rows.iter().any(owns)
        })
    }

    /// Whether a source is complete for names with these endings.
    fn would_tell(&self, source: &Source) -> bool {
        let ends = |text: &str| {
            let low = text.to_lowercase();
            let ending = low.rsplit_once('.').map(|(_, ending)| ending.to_owned());
            ending.is_none_or(|ending| ending.len() > 4 || source.endings.contains(&ending))
        };
        source.endings.is_empty() || self.reading.names.iter().all(|name| ends(&name.text))
    }

    /// Whether a source covers the time that is asked, on each piece of evidence that has it. The answer names the others.
    fn is_whole(&self, source: &Source) -> bool {
        let mut hosts = self.hosts.iter().filter(|host| self.is_there_on(source, host)).peekable();
        hosts.peek().is_some() && hosts.all(|host| self.is_whole_on(source, host))
    }

    fn is_whole_on(&self, source: &Source, host: &str) -> bool {
        if source.log.is_none() {
            return true;
        }
        let is_uncut =
            |log: &LogSpan| !log.cleared || self.question.span.is_some() || source.record == "log_cleared";
        let mut logs = self.logs(source, host).peekable();
        logs.peek().is_some() && logs.all(|log| is_uncut(log) && self.reaches(log))
    }

    /// Whether a log covers the span.
    fn reaches(&self, log: &LogSpan) -> bool {
        let Some(span) = &self.question.span else { return true };
        let begins = span.from.as_deref().zip(log.first.as_deref()).is_none_or(|(from, first)| first <= from);
        let ends = span.to.as_deref().zip(log.last.as_deref()).is_none_or(|(to, last)| last >= to);
        begins && ends && log.first.is_some()
    }

    /// Returns the logs of a piece of evidence that hold the events of a source.
    fn logs(&self, source: &Source, host: &str) -> impl Iterator<Item = &'a LogSpan> {
        let wanted: Vec<String> = match source.log.as_deref() {
            Some("@named") => self.named_logs(),
            Some(channel) => vec![channel.to_lowercase()],
            None => Vec::new(),
        };
        let host = host.to_owned();
        let is_it = move |log: &&LogSpan| {
            let channels = log.channels.to_lowercase();
            let fits = |channel: &String| {
                let is_part = channel.starts_with("terminalservices") || channel == "taskscheduler";
                let is_short = !channel.contains(['-', '/']) && channel != "sysmon" && !is_part;
                if is_short { channels == *channel } else { channels.contains(channel.as_str()) }
            };
            log.evidence == host && wanted.iter().any(fits)
        };
        self.world.logs.iter().filter(is_it)
    }

    /// Returns the names of the logs that the question names, or those that are meant without a name.
    fn named_logs(&self) -> Vec<String> {
        let named: Vec<String> =
            self.reading.names.iter().flat_map(|name| name.spellings.iter().cloned()).collect();
        if named.is_empty() { vec!["security".to_owned(), "system".to_owned()] } else { named }
    }
}
