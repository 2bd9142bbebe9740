//! What a question wants: a time, a person, a number, yes or no; the first or the last; things of which kind.

use super::{Order, Wants};
use crate::lexicon::Lexicon;
use crate::tokens::Token;
use std::collections::BTreeSet;

/// Words that begin a question to be answered with yes or no.
const BEGINS: [&str; 24] = [
    "is", "are", "was", "were", "did", "does", "do", "has", "have", "had", "can", "could", "ist", "sind",
    "war", "waren", "wurde", "wurden", "hat", "haben", "hatte", "hatten", "gibt", "gab",
];

/// Words that show that "was" at the beginning is the German word for "what".
const GERMAN: [&str; 8] = ["ist", "wurde", "hat", "der", "die", "das", "im", "liegt"];

/// Words for the origin of a logon, after "from which".
const ORIGINS: [&str; 7] = ["ip", "ip-address", "address", "workstation", "host", "computer", "machine"];

/// Words after "most" that ask for what was done most often.
const MOSTLY: [&str; 9] =
    ["often", "frequently", "used", "visited", "run", "executed", "launched", "started", "opened"];

/// What a program does in questions such as "which program started X".
const DEEDS: [&str; 11] = [
    "started",
    "launched",
    "executed",
    "spawned",
    "created",
    "wrote",
    "dropped",
    "downloaded",
    "deleted",
    "opened",
    "contacted",
];

/// Returns what is wanted, and the places of words that say nothing more than that.
pub(super) fn wants(words: &[Token], used: &BTreeSet<usize>) -> (Wants, Vec<usize>) {
    let mut reader = Reader { words, wants: Wants::default(), places: Vec::new(), is_open: false };
    for at in (0..words.len()).filter(|at| !used.contains(at)) {
        reader.read(at);
    }
    let mut wants = reader.wants;
    wants.count |= wants.most;
    let is_asked = wants != Wants::default() || reader.is_open;
    wants.yes_or_no = BEGINS.contains(&reader.low(0)) && !is_asked && !reader.is_german_what();
    (wants, reader.places)
}

/// Reads what is wanted, word by word.
struct Reader<'q> {
    words: &'q [Token],
    wants: Wants,
    places: Vec<usize>,
    /// Whether it asks which or what without saying more.
    is_open: bool,
}

impl<'q> Reader<'q> {
    /// The word at a place, in small letters; empty if it is quoted or missing.
    fn low(&self, at: usize) -> &'q str {
        self.words.get(at).filter(|word| !word.quoted).map_or("", |word| word.low.as_str())
    }

    fn before(&self, at: usize) -> &'q str {
        at.checked_sub(1).map_or("", |at| self.low(at))
    }

    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|it| it.low == word)
    }

    fn read(&mut self, at: usize) {
        let next = self.low(at + 1);
        match self.low(at) {
            // After another question word, unless "and" joins them, it begins a clause.
            "when" | "wann" if self.is_asked() && !self.is_joined(at) && self.low(at) == "when" => {}
            "when" | "wann" => self.wants.time = true,
            "who" | "whom" | "whose" | "wer" | "wem" | "wen" | "wessen" => self.wants.who = true,
            "where" => self.wants.from |= self.has("from"),
            "woher" => self.wants.from = true,
            "which" | "what" if is_doer(next) && DEEDS.contains(&self.low(at + 2)) => self.wants.by = true,
            "what" | "was" if self.asks_for_a_parent(next) => self.wants.by = true,
            "which" | "what" | "welcher" | "welche" | "welches" | "welchem" | "welchen" => self.which(at),
            "how" if matches!(next, "many" | "often") => {
                self.wants.count = true;
                self.wants.number = next == "many" && !matches!(self.low(at + 2), "times" | "runs");
            }
            "wie" if matches!(next, "oft" | "viele") => {
                self.wants.count = true;
                self.wants.number = next == "viele";
            }
            "most" if MOSTLY.contains(&next) => {
                self.wants.most = true;
                let is_plain = |at: &usize| matches!(self.low(*at), "most" | "often" | "frequently");
                let places: Vec<usize> = [at, at + 1].into_iter().filter(is_plain).collect();
                self.places.extend(places);
            }
            "most" if matches!(next, "recent" | "recently") => self.places.push(at),
            "häufigsten" | "öftesten" | "meistbesuchte" | "meistgenutzte" => {
                self.wants.most = true;
                self.places.push(at);
            }
            "count" if at == 0 => self.wants.count = true,
            _ => {}
        }
    }

    /// "What started setup.exe", "what is the parent of setup.exe".
    fn asks_for_a_parent(&self, next: &str) -> bool {
        let starts = matches!(next, "started" | "launched" | "spawned" | "executed" | "startete");
        let is_parent =
            matches!(next, "is" | "was" | "ist" | "war") && (self.has("parent") || self.has("elternprozess"));
        (starts || is_parent) && self.words.iter().any(Token::is_like_file)
    }

    fn is_asked(&self) -> bool {
        self.is_open || self.wants != Wants::default()
    }

    fn is_joined(&self, at: usize) -> bool {
        matches!(self.before(at), "and" | "or" | "und")
    }

    /// What "which" or "what" at this place asks for.
    fn which(&mut self, at: usize) {
        let next = self.low(at + 1);
        let is_beside = matches!(next, "local" | "exact" | "other" | "remote" | "source");
        let asked = if is_beside { self.low(at + 2) } else { next };
        let before = self.before(at);
        match asked {
            // A time zone is not a time.
            "time" if matches!(self.low(at + 2), "zone" | "server" | "source" | "setting") => {
                self.is_open = true;
            }
            "time" | "date" | "day" | "uhrzeit" | "zeit" | "datum" | "tag" => self.wants.time = true,
            "account" | "user" | "person" | "benutzer" | "konto" => {
                self.wants.who = true;
                self.places.push(at + 1);
            }
            "ip-adresse" | "adresse" if matches!(before, "from" | "von") => self.origin(at),
            origin if ORIGINS.contains(&origin) && matches!(before, "from" | "von") => self.origin(at),
            "url" | "website" | "site" | "address" if self.has("from") => self.wants.from = true,
            "program" | "process" | "tool" | "application" if matches!(before, "by" | "with") => {
                self.wants.by = true;
            }
            _ => self.is_open = true,
        }
    }

    /// "From which IP address": the words for the address say nothing more.
    fn origin(&mut self, at: usize) {
        self.wants.from = true;
        let is_of_origin = |at: &usize| {
            let low = self.low(*at);
            ORIGINS.contains(&low) || matches!(low, "ip-adresse" | "remote" | "source")
        };
        let places: Vec<usize> = (at + 1..self.words.len()).take(3).take_while(is_of_origin).collect();
        self.places.extend(places);
    }

    /// Whether it begins with the German word for "what".
    fn is_german_what(&self) -> bool {
        self.low(0) == "was" && self.words.iter().any(|it| GERMAN.contains(&it.low.as_str()))
    }
}

fn is_doer(word: &str) -> bool {
    matches!(word, "program" | "process" | "tool" | "application" | "script")
}

/// Returns the kind of things that is asked for.
pub(super) fn class(lexicon: &'static Lexicon, words: &[Token]) -> Option<&'static str> {
    let asks = |word: &Token| {
        let is_which = matches!(word.low.as_str(), "which" | "what" | "many" | "viele" | "other" | "any");
        is_which || word.low.starts_with("welche")
    };
    let mut asked = words.windows(3).filter_map(|run| match run {
        [which, noun, _] if asks(which) => Some(noun),
        _ => None,
    });
    asked.find_map(|noun| {
        lexicon.classes.iter().find(|(_, pattern)| pattern.fits(noun)).map(|(name, _)| name.as_str())
    })
}

/// Returns the word after "how many".
pub(super) fn counted(words: &[Token]) -> Option<String> {
    let is_many = |word: &Token| matches!(word.low.as_str(), "many" | "viele");
    words.windows(2).find_map(|pair| match pair {
        [many, what] if is_many(many) => Some(what.low.clone()),
        _ => None,
    })
}

/// Returns whether the first or the last of several occasions is asked for.
pub(super) fn order(lexicon: &Lexicon, words: &[Token], used: &BTreeSet<usize>) -> Option<Order> {
    let free = || words.iter().enumerate().filter(|(at, _)| !used.contains(at)).map(|(_, word)| word);
    let is_recent = |pair: &[Token]| {
        let is_most = |word: &Token| word.low == "most";
        let is_late = |word: &Token| matches!(word.low.as_str(), "recent" | "recently");
        matches!(pair, [most, recent] if is_most(most) && is_late(recent))
    };
    let first = free().any(|word| lexicon.first.fits(word));
    let last = words.windows(2).any(is_recent) || free().any(|word| lexicon.last.fits(word));
    match (first, last) {
        (true, false) => Some(Order::First),
        (false, true) => Some(Order::Last),
        (true, true) | (false, false) => None,
    }
}
