//! The words of `data/follow.toml`.

use crate::lexicon::{Lexicon, Pattern};
use crate::tokens::Token;
use serde::Deserialize;

/// The words of questions that refer to an earlier one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FollowWords {
    pub(super) lead: Pattern,
    pub(super) about: Pattern,
    pub(super) reaction: Pattern,
    pub(super) wrong: Pattern,
    pub(super) other: Pattern,
    pub(super) account: Pattern,
    pub(super) host: Pattern,
    pub(super) before: Pattern,
    pub(super) after: Pattern,
    pub(super) want: Pattern,
    pub(super) he: Pattern,
    pub(super) it: Pattern,
    pub(super) there: Pattern,
    pub(super) idle_it: Pattern,
    pub(super) idle_there: Pattern,
    pub(super) of_time: Pattern,
    pub(super) beside_order: Pattern,
}

impl FollowWords {
    /// Whether a word says nothing that could be a name, or what is wanted.
    pub(super) fn is_weak(&self, lexicon: &Lexicon, word: &Token) -> bool {
        let says = [&self.other, &self.before, &self.after, &self.want].iter().any(|it| it.fits(word));
        !says && (lexicon.is_filler(word) || self.of_time.fits(word))
    }
}
