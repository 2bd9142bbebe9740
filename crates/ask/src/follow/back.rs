//! Questions that were asked back: what is asked if nobody answers, and what is asked with an answer.

use crate::edit::{bare, cut, replaced};
use crate::question::Question;
use crate::spans;

/// Returns the question in its first reading if it can be read in two ways; `None` if there is no such reading.
pub fn first_reading(question: &Question) -> Option<String> {
    if question.is_time_ambiguous {
        let dates = question.typed.iter();
        let dates: Vec<_> =
            dates.filter_map(|word| Some((word.bytes.clone(), spans::either(&word.low)?))).collect();
        return (!dates.is_empty()).then(|| replaced(question.text(), &dates));
    }
    question.without_clause().map(str::to_owned)
}

/// Returns the question with the reply to what was asked back. A reply that is a question itself replaces it.
pub fn completed(question: &Question, reply: &Question) -> String {
    let text = reply.text().trim();
    if reply.topics().next().is_some() {
        return text.to_owned();
    }
    let base = match question.is_time_ambiguous {
        true => cut(question.text(), &question.typed, &question.time_places),
        false => question.without_clause().unwrap_or(question.text()).to_owned(),
    };
    format!("{} {text}", bare(&base))
}
