//! Withholding in texts.

use crate::RedactError;
use crate::finders::Finder;
use crate::fold::folded;
use crate::needles::{Gathered, TURNED, needles};
use crate::outputs::RedactedOutputs;
use crate::profile::Profile;
use crate::search::{Beside, Found, Needle, Searcher, foldings};
use crate::{MARK, mark_of};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Withholds the values of a run in texts.
#[derive(Debug)]
pub struct Redactor {
    needles: Vec<Needle>,
    searcher: Searcher,
    finders: BTreeSet<Finder>,
    /// Folded.
    excepted: BTreeSet<String>,
    pub(crate) words: BTreeSet<String>,
    /// The replacements for evidence labels that contain something withheld: different labels stay different.
    labels: BTreeMap<String, String>,
    values: BTreeMap<String, u64>,
    not_sought: u64,
    places: RefCell<BTreeMap<&'static str, u64>>,
}

/// The report's name for digests of outputs.
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

    /// Adds the labels of the case's evidence.
    pub(crate) fn labelling<'l>(mut self, labels: impl Iterator<Item = &'l str>) -> Redactor {
        let told = labels.zip(1..).filter(|(label, _)| self.changed(label).is_some());
        self.labels =
            told.map(|(label, number)| (label.to_owned(), mark_of(&format!("evidence {number}")))).collect();
        self
    }

    /// Returns a label of evidence without what is withheld; `None` if nothing is.
    pub(crate) fn label(&self, label: &str) -> Option<String> {
        self.labels.get(label).cloned().or_else(|| self.changed(label))
    }

    /// Also searches for the digests of changed outputs.
    pub(crate) fn seeking(mut self, outputs: &RedactedOutputs) -> Result<Redactor, RedactError> {
        for digest in outputs.stand_ins.keys() {
            for text in [digest.to_string(), digest.short()] {
                self.needles.push(Needle { text, beside: Beside::Anything, rule: DIGESTS });
            }
        }
        self.searcher = Searcher::new(self.needles.clone()).map_err(RedactError::Search)?;
        Ok(self)
    }

    /// Returns the text, with a mark in place of everything that is withheld.
    pub fn text(&self, text: &str) -> String {
        self.changed(text).unwrap_or_else(|| text.to_owned())
    }

    /// The same; `None` if nothing is withheld.
    pub(crate) fn changed(&self, text: &str) -> Option<String> {
        let mut found: Vec<Found> = Vec::new();
        for reading in foldings(text) {
            self.searcher.find(text, &reading, &mut found);
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
        found = without_bridges(found, text);
        // Of matches that begin at the same place, the longest comes first; overlapping ones become one.
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
            // If a match begins inside one that was already withheld, that mark covers both.
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

/// Removes names in reversed order that lie across other matches: in `Ann Bell, Ann Bell` the middle is nobody.
fn without_bridges(found: Vec<Found>, text: &str) -> Vec<Found> {
    let (turned, mut others): (Vec<Found>, Vec<Found>) = found.into_iter().partition(|it| it.1 == TURNED);
    if turned.is_empty() {
        return others;
    }
    others.sort_by_key(|(range, _)| range.start);
    let mut ends = Vec::with_capacity(others.len());
    for (range, _) in &others {
        ends.push(ends.last().map_or(range.end, |end| range.end.max(*end)));
    }
    // Whether this place of the text is inside another match, which begins there or before.
    let is_found = |at: usize| {
        let before = others.partition_point(|(range, _)| range.start <= at);
        before.checked_sub(1).and_then(|last| ends.get(last)).is_some_and(|end| at < *end)
    };
    let is_bridge = |range: &Range<usize>| {
        let letters = text.get(range.clone()).unwrap_or_default().char_indices();
        letters.filter(|(_, c)| c.is_alphanumeric()).all(|(at, _)| is_found(range.start + at))
    };
    let kept: Vec<Found> = turned.into_iter().filter(|(range, _)| !is_bridge(range)).collect();
    others.extend(kept);
    others
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

    #[test]
    fn an_address_is_withheld_however_it_is_joined_and_written() {
        let redactor =
            redactor("values = [\"10.77.31.9\", \"2001:db8::77\"]\nfind = [\"address\", \"mail\"]");
        for (text, expected) in [
            ("mstsc /v:198.51.100.12:3389 /f", "mstsc /v:[withheld]:3389 /f"),
            ("mstsc /v:2001:db8::78", "mstsc /v:[withheld]"),
            ("C:/logs/203.0.113.83_log.txt", "C:/logs/[withheld]_log.txt"),
            ("172[.]23[.]45[.]67, 172.23.45[.]68", "[withheld], [withheld]"),
            ("hxxp[:]//ann[at]example[dot]org", "hxxp[:]//[withheld]"),
            ("dump_10_77_31_9.pcap, host10-77-31-9x", "dump_[withheld].pcap, host[withheld]x"),
            ("110_77_31_9, 10-77-31-91, 10_77_31", "110_77_31_9, 10-77-31-91, 10_77_31"),
            ("net_2001_db8__77_x", "net_[withheld]_x"),
        ] {
            assert_eq!(redactor.text(text), expected);
        }
    }

    #[test]
    fn a_name_is_withheld_however_it_is_joined_and_encoded() {
        let redactor = redactor("values = [\"Margarethe Vogelsang\", \"Jörg Ohm\", \"bo.li\", \"Zoë\"]");
        for text in [
            "margarethe_vogelsang",
            "margarethe-vogelsang",
            "xMargaretheVogelsang2",
            "Vogelsang, Margarethe",
            "vogelsang.margarethe",
            "VOGELSANG%2C%20MARGARETHE",
            "Marga=\r\nrethe=20Vogelsang",
            "J%F6rg%20Ohm",
            "j%f6rg_ohm",
            "J=C3=B6rg=20Ohm",
            "=?utf-8?Q?J=C3=B6rg_Ohm?=",
            "=?iso-8859-1?Q?J=F6rg_Ohm?=",
            "JÃ¶rg Ohm",
            "OHM, JÃ\u{96}RG",
            "J\u{fffd}rg Ohm, J??rg Ohm",
            "www.xn--jrg-ohm-90a.example",
            "bo_li, Li, Bo",
            "xn--zo-ija",
        ] {
            let told = redactor.text(text).to_lowercase();
            let is_left = |part: &str| told.contains(part);
            assert!(told.contains("[withheld]"), "{text}: {told}");
            assert!(!["marga", "vogel", "rg", "ohm", "li", "zo"].into_iter().any(is_left), "{text}: {told}");
        }
        for (text, expected) in [
            ("Jörg Ohm, Jörg Ohm", "[withheld], [withheld]"),
            ("Jörg Ohm, Jörg", "[withheld]"),
            ("Ohm, Jörg Ohm", "[withheld]"),
            ("bolivar, oboli, Vogelsang", "bolivar, oboli, Vogelsang"),
        ] {
            assert_eq!(redactor.text(text), expected);
        }
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
