//! Puts a fact into words.

use crate::book::Book;
use crate::language::Language;
use crate::obligatory::obligatory;
use crate::phrase::{Phrase, Piece};
use crate::template::{Part, Slot, Template, direct};
use crate::value::{self, Manner};
use ledger::bounds::is_shown_whole;
use ledger::{BoundValue, Dates, FactEntry, FieldValue, Placement};
use std::collections::BTreeSet;

/// The placeholder for the path of the record's file.
pub(crate) const FILE: &str = "_path";
/// The placeholder for the number of facts in a line.
pub(crate) const NUMBER: &str = "_number";
/// The field name for that path in a phrase and in requests.
const PATH: &str = "@path";
/// The type of the record.
const KIND: &str = "@kind";
/// The predicate of the fact.
const PREDICATE: &str = "@predicate";

/// The field with the names of the fields by which records were counted, and the field with their values in the same order.
const BY: &str = "by";
const VALUES: &str = "values";

/// Which fields of a fact to say, in addition to the obligatory ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Choice<'a> {
    /// The fields that the phrase has a place for.
    #[default]
    Usual,
    /// All fields of the fact.
    All,
    /// These fields; any that the fact does not have are left out.
    Fields(&'a [&'a str]),
}

/// Phrases a fact.
pub fn fact(language: Language, fact: &FactEntry, choice: Choice<'_>) -> Phrase {
    let book = language.book();
    let teller = Teller::new(book, fact, choice);
    let mut phrase = Phrase::default();
    teller.place(&mut phrase);
    teller.tell(&mut phrase);
    phrase.words(".");
    phrase
}

/// Returns the fields that [`Choice::Usual`] says, including the subject's;
/// `@path` is the path of the record's file, and can be requested by that name.
pub fn usual(language: Language, fact: &FactEntry) -> BTreeSet<String> {
    self::fact(language, fact, Choice::Usual).fields().map(str::to_owned).collect()
}

pub(crate) struct Teller<'a> {
    book: &'a Book,
    fact: &'a FactEntry,
    template: Option<&'a Template>,
    wanted: BTreeSet<&'a str>,
    /// The number of facts in the line, if there are several.
    number: Option<usize>,
}

impl<'a> Teller<'a> {
    fn new(book: &'a Book, fact: &'a FactEntry, choice: Choice<'_>) -> Teller<'a> {
        let mut teller = Teller { book, fact, template: None, wanted: obligatory(fact), number: None };
        teller.template = teller.templates().find(|template| template.core().all(|slot| teller.fits(slot)));
        let held = fact.values.iter().chain([&fact.subject]).map(|bound| bound.field.as_str());
        let chosen: Vec<&str> = match choice {
            Choice::All => held.collect(),
            Choice::Fields(fields) => held.filter(|field| fields.contains(field)).collect(),
            Choice::Usual => {
                let fields = teller.template.map(Template::fields).unwrap_or_default();
                held.filter(|field| fields.contains(field)).collect()
            }
        };
        teller.wanted.extend(chosen);
        let is_path_wanted = match choice {
            Choice::All => true,
            Choice::Fields(fields) => fields.contains(&PATH),
            Choice::Usual => teller.template.is_some_and(|template| template.fields().contains(FILE)),
        };
        // A file that is not the host's own is always named.
        if is_path_wanted && fact.placement.is_none() {
            teller.wanted.insert(PATH);
        }
        teller
    }

    /// Phrases several facts in one line: `shared` holds what all of them state, and the template names it.
    ///
    /// The subject is said if the template has a place for it.
    pub(crate) fn tell_several(
        book: &'a Book,
        shared: &'a FactEntry,
        template: &'a Template,
        number: usize,
        phrase: &mut Phrase,
    ) {
        let fields = template.fields();
        let mut wanted = obligatory(shared);
        wanted
            .extend(shared.values.iter().map(|bound| bound.field.as_str()).filter(|it| fields.contains(it)));
        if fields.contains(FILE) {
            wanted.insert(PATH);
        }
        wanted.remove(shared.subject.field.as_str());
        if fields.contains("subject") {
            wanted.insert(&shared.subject.field);
        }
        let teller = Teller { book, fact: shared, template: Some(template), wanted, number: Some(number) };
        teller.place(phrase);
        teller.tell(phrase);
    }

    /// Returns the templates for this fact, most specific first.
    fn templates(&self) -> impl Iterator<Item = &'a Template> + use<'a> {
        let predicate = &self.fact.predicate.0;
        let own = self.book.records.get(&self.fact.kind).and_then(|of| of.get(predicate));
        own.into_iter().chain(self.book.predicates.get(predicate)).flatten()
    }

    /// Returns the values of a field: several if the fact states several items of a list.
    fn held(&self, field: &str) -> Vec<&'a BoundValue> {
        let mut held: Vec<&BoundValue> = Vec::new();
        for bound in self.fact.values.iter().chain([&self.fact.subject]) {
            let is_new =
                |other: &&BoundValue| (&other.value, &other.quotation) != (&bound.value, &bound.quotation);
            if bound.field == field && held.iter().all(is_new) {
                held.push(bound);
            }
        }
        held
    }

    /// Returns the fact's field for a place in a template.
    fn field(&self, slot: &'a Slot) -> &'a str {
        match slot.field.as_str() {
            "subject" => &self.fact.subject.field,
            FILE => PATH,
            field => field,
        }
    }

    /// Checks whether the fact has a value for a place: a time must be an instant, and if the place has words by value, one of these values.
    fn fits(&self, slot: &'a Slot) -> bool {
        if slot.field == FILE || slot.field == NUMBER && self.number.is_some() {
            return true;
        }
        let held = self.held(self.field(slot));
        let is_instant =
            |bound: &&BoundValue| !matches!(&bound.value, FieldValue::Time(time) if time.utc.is_none());
        let has_words = |bound: &&BoundValue| {
            slot.cases.is_empty() || slot.other.is_some() || case(slot, bound).is_some()
        };
        !held.is_empty() && held.iter().all(is_instant) && held.iter().all(has_words)
    }

    /// Says where the words come from, if the file is not one of the host's own.
    fn place(&self, phrase: &mut Phrase) {
        let name = match self.fact.placement {
            None => return,
            Some(Placement::Stated) => "place_stated",
            Some(Placement::Assumed) => "place_assumed",
            Some(Placement::Elsewhere) => "place_elsewhere",
            Some(Placement::Foreign) => "place_foreign",
        };
        self.book.say_with(phrase, name, |phrase, _| self.file(phrase));
    }

    fn file(&self, phrase: &mut Phrase) {
        value::say_text(self.book, phrase, PATH, &self.fact.locator.path, Manner::Whole);
    }

    fn tell(&self, phrase: &mut Phrase) {
        let mut said = BTreeSet::new();
        match self.template {
            Some(template) => self.parts(&template.0, phrase, &mut said),
            None => self.neutral(phrase, &mut said),
        }
        self.rest(phrase, &said);
    }

    /// Says what is true of any fact.
    fn neutral(&self, phrase: &mut Phrase, said: &mut BTreeSet<&'a str>) {
        let own = |field: &str, text: &str| Piece::Value { field: field.to_owned(), text: text.to_owned() };
        self.book.say_with(phrase, "neutral", |phrase, place| match place {
            "kind" => phrase.pieces.push(own(KIND, &self.fact.kind)),
            "predicate" => phrase.pieces.push(own(PREDICATE, &self.fact.predicate.0)),
            _ => self.say(phrase, &self.fact.subject),
        });
        said.insert(&self.fact.subject.field);
    }

    /// Says a value; it is not shortened if a part would say more than the fact does.
    fn say(&self, phrase: &mut Phrase, bound: &BoundValue) {
        let manner =
            if is_shown_whole(&self.fact.kind, &bound.field) { Manner::Whole } else { Manner::Short };
        value::say(self.book, phrase, bound, manner);
    }

    fn parts(&self, parts: &'a [Part], phrase: &mut Phrase, said: &mut BTreeSet<&'a str>) {
        for part in parts {
            match part {
                Part::Words(words) => phrase.words(words),
                Part::Field(slot) => self.slot(slot, phrase, said),
                Part::Optional(inner) => {
                    let is_wanted = |slot: &'a Slot| self.wanted.contains(self.field(slot));
                    if direct(inner).all(|slot| is_wanted(slot) && self.fits(slot)) {
                        self.parts(inner, phrase, said);
                    }
                }
            }
        }
    }

    fn slot(&self, slot: &'a Slot, phrase: &mut Phrase, said: &mut BTreeSet<&'a str>) {
        if slot.field == FILE {
            self.file(phrase);
        }
        if slot.field == NUMBER
            && let Some(number) = self.number
        {
            return phrase.pieces.push(Piece::Computed { text: number.to_string() });
        }
        if slot.field == BY && self.conditions(phrase) {
            said.extend([BY, VALUES]);
            return;
        }
        for (at, bound) in self.held(self.field(slot)).into_iter().enumerate() {
            if at > 0 {
                phrase.words(", ");
            }
            match (case(slot, bound), &slot.other) {
                (Some(words), _) => phrase.pieces.push(Piece::Told {
                    field: bound.field.clone(),
                    value: bound.value.to_text().into_owned(),
                    text: words.to_owned(),
                }),
                (None, Some((before, after))) => {
                    phrase.words(before);
                    self.say(phrase, bound);
                    phrase.words(after);
                }
                (None, None) => self.say(phrase, bound),
            }
        }
        said.insert(self.field(slot));
    }

    /// Says the conditions of a count, each field with its value; returns `false` if there are no such lists.
    fn conditions(&self, phrase: &mut Phrase) -> bool {
        let list = |field: &str| match self.held(field).as_slice() {
            [BoundValue { value: FieldValue::List(items), quotation: None, .. }] => Some(items),
            _ => None,
        };
        let Some((fields, values)) = list(BY).zip(list(VALUES)) else { return false };
        if fields.len() != values.len() || fields.is_empty() {
            return false;
        }
        for (at, (field, value)) in fields.iter().zip(values).enumerate() {
            if at > 0 {
                phrase.words(", ");
            }
            // A field name is one word, whatever it is.
            phrase.pieces.push(Piece::Value { field: BY.to_owned(), text: value::visible(field) });
            phrase.words(" = ");
            value::say_text(self.book, phrase, VALUES, value, Manner::Whole);
        }
        true
    }

    /// Says in parentheses what must be said and has no place in the template.
    fn rest(&self, phrase: &mut Phrase, said: &BTreeSet<&'a str>) {
        let mut fields: Vec<&str> = Vec::new();
        let held = self.fact.values.iter().chain([&self.fact.subject]).map(|bound| bound.field.as_str());
        for field in held.chain([PATH]) {
            if self.wanted.contains(field) && !said.contains(field) && !fields.contains(&field) {
                fields.push(field);
            }
        }
        for (at, field) in fields.iter().enumerate() {
            phrase.words(if at == 0 { " (" } else { "; " });
            if *field == PATH {
                self.book.say_with(phrase, "read_from", |phrase, _| self.file(phrase));
            } else {
                self.labelled(field, phrase);
            }
        }
        if !fields.is_empty() {
            phrase.words(")");
        }
    }

    fn labelled(&self, field: &'a str, phrase: &mut Phrase) {
        let label = self.book.labels.get(field).filter(|label| label.core().all(|slot| self.fits(slot)));
        if let Some(label) = label {
            return self.parts(&label.0, phrase, &mut BTreeSet::new());
        }
        phrase.words(field);
        for (at, bound) in self.held(field).into_iter().enumerate() {
            phrase.words(if at == 0 { ": " } else { ", " });
            self.say(phrase, bound);
            self.dated(bound, phrase);
        }
    }
}

impl Teller<'_> {
    /// Says what a time does not date, if only its field name introduces it.
    fn dated(&self, bound: &BoundValue, phrase: &mut Phrase) {
        if !matches!(&bound.value, FieldValue::Time(time) if time.utc.is_some()) {
            return;
        }
        let name = match ledger::dates(&self.fact.predicate.0, &self.fact.kind, &bound.field) {
            Dates::Event => return,
            Dates::Name => "time_of_name",
            Dates::Birth | Dates::File => "time_of_file",
            Dates::Nothing => "time_of_nothing",
        };
        self.book.say(phrase, name, &[]);
    }
}

/// Returns the words that a place has for a value.
fn case<'s>(slot: &'s Slot, bound: &BoundValue) -> Option<&'s str> {
    if bound.quotation.is_some() {
        return None;
    }
    let text = bound.value.to_text();
    slot.cases.iter().find(|(value, _)| *value == text).map(|(_, words)| words.as_str())
}
