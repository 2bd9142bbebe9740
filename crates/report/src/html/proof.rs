//! The stored record of a fact, with the fact's values marked.

use graph::Run;
use ledger::{ByteSpan, Digest, FactEntry, FactId};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// A function that returns a stored output by its digest; `None` if it is not in the run folder.
pub type Outputs<'m> = dyn Fn(&Digest) -> Option<Vec<u8>> + 'm;

/// The maximum size in bytes of a record that is shown whole.
const WHOLE: usize = 4_000;
/// For a longer record, the number of bytes shown on both sides of a value.
const AROUND: usize = 160;

/// The lines of stored outputs that contain the facts of a run.
pub(super) struct Proofs {
    lines: BTreeMap<FactId, Line>,
}

/// A record as it is stored.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    /// The line without its line ending.
    text: String,
    /// The non-overlapping byte ranges of its values, in order, from the start of the line.
    marks: Vec<(usize, usize)>,
}

impl Proofs {
    /// Collects the lines. It reads each output once, however many facts come from it.
    pub(super) fn of(run: &Run, outputs: &Outputs<'_>) -> Proofs {
        let mut by_output: BTreeMap<Digest, Vec<&FactEntry>> = BTreeMap::new();
        for (_, accepted) in run.facts() {
            by_output.entry(accepted.fact.output).or_default().push(&accepted.fact);
        }
        let mut lines = BTreeMap::new();
        for (digest, facts) in by_output {
            let Some(bytes) = outputs(&digest) else { continue };
            for fact in facts {
                lines.extend(line(&bytes, fact).map(|line| (fact.id, line)));
            }
        }
        Proofs { lines }
    }

    /// Renders the record of a fact with its values marked, or says that the output is missing.
    pub(super) fn show(&self, fact: &FactEntry) -> Markup {
        let Some(line) = self.lines.get(&fact.id) else {
            return html! { p.bad { "The stored output is not in the run folder, or does not reach this far." } };
        };
        html! {
            pre.record tabindex="0" role="region" aria-label="Record as stored" {
                @for piece in pieces(line) {
                    @match piece {
                        Piece::Plain(text) => (super::say(text)),
                        Piece::Mark(text) => mark { (super::say(text)) },
                        Piece::Left(bytes) => span.left { " … " (bytes) " bytes … " },
                    }
                }
            }
        }
    }
}

/// Returns the line of an output that contains a fact's values.
fn line(bytes: &[u8], fact: &FactEntry) -> Option<Line> {
    let spans: Vec<ByteSpan> = crate::text::bound(fact).map(|bound| bound.span).collect();
    let first = usize::try_from(spans.first()?.offset).ok()?;
    let start = bytes.get(..first)?.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let rest = bytes.get(start..)?;
    let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let text = String::from_utf8(rest.get(..end)?.to_vec()).ok()?;
    let mut marks: Vec<(usize, usize)> =
        spans.iter().filter_map(|span| within(&text, start, *span)).collect();
    marks.sort_unstable();
    // Two values of one field have the same position.
    marks.dedup_by(|next, before| next.0 < before.1);
    Some(Line { text, marks })
}

fn within(text: &str, start: usize, span: ByteSpan) -> Option<(usize, usize)> {
    let from = usize::try_from(span.offset).ok()?.checked_sub(start)?;
    let to = from.checked_add(usize::try_from(span.length).ok()?)?;
    text.get(from..to).map(|_| (from, to))
}

enum Piece<'l> {
    Plain(&'l str),
    Mark(&'l str),
    /// A number of bytes that are left out.
    Left(usize),
}

/// Splits a line into pieces; a long line is reduced to the parts around its values.
fn pieces(line: &Line) -> Vec<Piece<'_>> {
    let whole = line.text.len() <= WHOLE;
    let mut pieces = Vec::new();
    let mut at = 0;
    for (from, to) in &line.marks {
        plain(&mut pieces, &line.text, at, *from, whole);
        let marked = line.text.get(*from..*to).unwrap_or_default();
        match whole || marked.len() <= WHOLE {
            true => pieces.push(Piece::Mark(marked)),
            false => {
                let shown = line.text.floor_char_boundary(from + WHOLE);
                pieces.push(Piece::Mark(line.text.get(*from..shown).unwrap_or_default()));
                pieces.push(Piece::Left(to - shown));
            }
        }
        at = *to;
    }
    plain(&mut pieces, &line.text, at, line.text.len(), whole);
    pieces
}

fn plain<'l>(pieces: &mut Vec<Piece<'l>>, text: &'l str, from: usize, to: usize, whole: bool) {
    if whole || to - from <= 2 * AROUND {
        pieces.push(Piece::Plain(text.get(from..to).unwrap_or_default()));
        return;
    }
    let (head, tail) = (text.floor_char_boundary(from + AROUND), text.ceil_char_boundary(to - AROUND));
    pieces.push(Piece::Plain(text.get(from..head).unwrap_or_default()));
    pieces.push(Piece::Left(tail - head));
    pieces.push(Piece::Plain(text.get(tail..to).unwrap_or_default()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, marks: &[(usize, usize)]) -> Line {
        Line { text: text.to_owned(), marks: marks.to_vec() }
    }

    fn told(line: &Line) -> String {
        let piece = |piece: Piece<'_>| match piece {
            Piece::Plain(text) => text.to_owned(),
            Piece::Mark(text) => format!("[{text}]"),
            Piece::Left(bytes) => format!("<{bytes}>"),
        };
        pieces(line).into_iter().map(piece).collect()
    }

    #[test]
    fn the_line_of_a_fact_is_found_by_where_its_values_stand() {
        let bytes = "{\"head\":1}\n{\"a\":\"é\",\"b\":7}\n{\"a\":\"x\"}\n".as_bytes();
        let mut fact = testkit::history::fact(1, 0, "k", &[("data", "d")]);
        fact.values[0].span = ByteSpan::new(25, 1);
        fact.subject.span = ByteSpan::new(16, 4);
        let line = line(bytes, &fact).unwrap();
        assert_eq!(told(&line), "{\"a\":[\"é\"],\"b\":[7]}");
        fact.values[0].span = ByteSpan::new(9_000, 1);
        fact.subject.span = ByteSpan::new(9_000, 1);
        assert!(super::line(bytes, &fact).is_none());
    }

    #[test]
    fn of_a_long_record_what_stands_around_its_values_is_shown_and_the_rest_counted() {
        let text = "é".repeat(WHOLE);
        let line = of(&text, &[(4_000, 4_010)]);
        let told = told(&line);
        assert!(told.contains(&format!("[{}]", "é".repeat(5))), "{told}");
        let left: usize =
            pieces(&line).iter().map(|it| if let Piece::Left(bytes) = it { *bytes } else { 0 }).sum();
        let shown: usize = pieces(&line)
            .iter()
            .map(|it| match it {
                Piece::Plain(text) | Piece::Mark(text) => text.len(),
                Piece::Left(_) => 0,
            })
            .sum();
        assert_eq!(left + shown, text.len());
        assert!(shown < 1_000);
    }
}
