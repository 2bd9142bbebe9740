//! Withholding in texts.

use crate::RedactError;
use crate::finders::Finder;
use crate::fold::folded;
use crate::needles::{Gathered, needles};
use crate::outputs::RedactedOutputs;
use crate::profile::Profile;
use crate::search::{Found, Needle, Searcher, foldings};
use crate::{MARK, mark_of};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Withholds the values of a run in texts.
#[derive(Debug)]
pub struct Redactor {
    needles: Vec<Needle>,
    searcher: Searcher,
    finders: BTreeSet<Finder>,
    /// Folded.
    excepted: BTreeSet<String>,
    pub(crate) words: BTreeSet<String>,
    /// What stands in place of the labels of evidence in which something is withheld: two of them stay two.
    labels: BTreeMap<String, String>,
    values: BTreeMap<String, u64>,
    not_sought: u64,
    places: RefCell<BTreeMap<&'static str, u64>>,
}

/// How the report calls digests of outputs.
const DIGESTS: &str = "digests of withheld outputs";

impl Redactor {
    pub(crate) fn new(gathered: Gathered, profile: &Profile) -> Result<Redactor, RedactError> {
        let (needles, not_sought) = needles(&gathered, profile);
        let mut values: BTreeMap<String, u64> = BTreeMap::new();
        for rule in gathered.values.values() {
            *values.entry((*rule).to_owned()).or_default() += 1;
        }
        Ok(Redactor {
            searcher: Searcher::new(needles.clone()).map_err(RedactError::Search)?,
            needles,
            finders: profile.finders.clone(),
            excepted: profile.excepted().map(folded).collect(),
            words: gathered.words,
            labels: BTreeMap::new(),
            values,
            not_sought,
            places: RefCell::default(),
        })
    }

    /// The same, knowing the labels of the case's evidence.
    pub(crate) fn labelling<'l>(mut self, labels: impl Iterator<Item = &'l str>) -> Redactor {
        let told = labels.zip(1..).filter(|(label, _)| self.changed(label).is_some());
        self.labels =
            told.map(|(label, number)| (label.to_owned(), mark_of(&format!("evidence {number}")))).collect();
        self
    }

    /// A label of evidence without what is withheld of it; `None` where nothing is.
    pub(crate) fn label(&self, label: &str) -> Option<String> {
        self.labels.get(label).cloned().or_else(|| self.changed(label))
    }

    /// The same, seeking the digests of what was changed, too.
    pub(crate) fn seeking(mut self, outputs: &RedactedOutputs) -> Result<Redactor, RedactError> {
        for digest in outputs.stand_ins.keys() {
            for text in [digest.to_string(), digest.short()] {
                self.needles.push(Needle { text, alone: false, rule: DIGESTS });
            }
        }
        self.searcher = Searcher::new(self.needles.clone()).map_err(RedactError::Search)?;
        Ok(self)
    }

    /// The text, with a mark in place of everything that is withheld.
    pub fn text(&self, text: &str) -> String {
        self.changed(text).unwrap_or_else(|| text.to_owned())
    }

    /// The same; `None` where nothing is withheld.
    pub(crate) fn changed(&self, text: &str) -> Option<String> {
        let mut found: Vec<Found> = Vec::new();
        for reading in foldings(text) {
            self.searcher.find(&reading, &mut found);
            let folded = &reading.folded;
            for finder in self.finders.iter().filter(|finder| finder.looks_into(reading.way)) {
                let ranges = finder.find(&folded.text).into_iter();
                let ranges = ranges
                    .filter(|it| !self.excepted.contains(folded.text.get(it.clone()).unwrap_or_default()));
                found.extend(ranges.map(|range| (folded.source(&range), finder.name())));
            }
        }
        if found.is_empty() {
            return None;
        }
        // Of what begins at one place the longest first; what overlaps becomes one.
        found.sort_by_key(|(range, _)| (range.start, usize::MAX - range.end));
        let mut out = String::with_capacity(text.len());
        let (mut at, mut changed) = (0, false);
        for (range, rule) in found {
            if range.end <= at {
                continue;
            }
            if range.start >= at {
                out.push_str(text.get(at..range.start).unwrap_or_default());
                out.push_str(MARK);
                self.count(rule);
            }
            // Where it begins inside what was withheld before, that mark stands for both.
            at = range.end;
            changed = true;
        }
        out.push_str(text.get(at..).unwrap_or_default());
        changed.then_some(out)
    }

    pub(crate) fn count(&self, rule: &'static str) {
        *self.places.borrow_mut().entry(rule).or_default() += 1;
    }

    pub(crate) fn places(&self) -> BTreeMap<String, u64> {
        self.places.borrow().iter().map(|(rule, number)| ((*rule).to_owned(), *number)).collect()
    }

    pub(crate) fn values(&self) -> BTreeMap<String, u64> {
        self.values.clone()
    }

    pub(crate) const fn not_sought(&self) -> u64 {
        self.not_sought
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn redactor(toml: &str) -> Redactor {
        let profile = Profile::parse("p", toml).unwrap();
        let mut gathered = Gathered::default();
        for value in &profile.values {
            gathered.values.insert(value.clone(), crate::needles::NAMED);
        }
        Redactor::new(gathered, &profile).unwrap()
    }

    #[test]
    fn what_overlaps_becomes_one_mark_and_the_rest_stands() {
        let redactor = redactor(
            "values = [\"Ann Bell\", \"Bell Road\", \"C:\\\\Users\\\\Ann Bell\"]\nfind = [\"mail\"]",
        );
        for (text, expected) in [
            ("Ann Bell Road 7", "[withheld] 7"),
            ("é C:/users/ANN BELL/x.txt", "é [withheld]/x.txt"),
            ("ann bell, ann bell", "[withheld], [withheld]"),
            ("to eve@example.org.", "to [withheld]."),
            ("Annabel", "Annabel"),
        ] {
            assert_eq!(redactor.text(text), expected);
        }
        assert_eq!(redactor.places().values().sum::<u64>(), 5);
    }

    proptest! {
        #[test]
        fn nothing_of_a_value_is_left_wherever_it_stands(before in "(?s).{0,6}", after in "(?s).{0,6}", escaped: bool) {
            let value = "Jörg \"M\" Ä";
            let redactor = redactor("values = ['Jörg \"M\" Ä']");
            let written = if escaped { serde_json::to_string(value).unwrap() } else { value.to_uppercase() };
            let told = redactor.text(&format!("{before}{written}{after}")).to_lowercase();
            prop_assert!(!told.contains("jörg") && told.contains("[withheld]"), "{}", told);
        }
    }
}
