//! The artifacts shown in a task's first message.

use ledger::{Artifact, Reference, ReferenceShown};

/// The most artifacts that one message names.
const MOST_REFERENCES: usize = 64;

/// Returns the references to the artifacts with these ids, in order, with at most `characters` in total.
///
/// An artifact that does not fit after those before it is left out, whatever its size; a shorter one after it may still fit.
pub(crate) fn references<'a>(
    ids: &[String],
    characters: u32,
    known: impl Fn(&str) -> Option<&'a Artifact>,
) -> Vec<Reference> {
    let mut left = characters as usize;
    let mut references: Vec<Reference> = Vec::new();
    for id in ids.iter().take(MOST_REFERENCES) {
        if references.iter().any(|reference| reference.id == *id) {
            continue;
        }
        let shown = match known(id) {
            None => ReferenceShown::NotFound,
            Some(artifact) => {
                // The message holds the escaped text, so its length counts.
                let length = escaped(&artifact.content).chars().count();
                match left.checked_sub(length) {
                    None => ReferenceShown::Elided,
                    Some(rest) => {
                        left = rest;
                        ReferenceShown::Content { content: artifact.content.to_string() }
                    }
                }
            }
        };
        references.push(Reference { id: id.clone(), shown });
    }
    references
}

/// Renders the references for a message.
pub(crate) fn render(references: &[Reference]) -> String {
    let mut text = "<reference_artifacts>".to_owned();
    for Reference { id, shown } in references {
        let id = escaped(id);
        text.push_str(&match shown {
            ReferenceShown::Content { content } => {
                format!("<reference_artifact id=\"{id}\">{}</reference_artifact>", escaped(content))
            }
            ReferenceShown::NotFound => format!("<reference_artifact id=\"{id}\" status=\"not_found\"/>"),
            ReferenceShown::Elided => {
                format!("<reference_artifact id=\"{id}\" status=\"elided\" reason=\"bundle_size\"/>")
            }
        });
    }
    text.push_str("</reference_artifacts>");
    text
}

/// Escapes the text for XML, so that it can be neither a tag nor the end of an attribute.
///
/// Characters that XML does not allow become a replacement character.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\t' | '\n' | '\r' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use ledger::{ArtifactId, ArtifactKind, Digest, IdSpace, Seed, TaskId};
    use proptest::prelude::*;

    fn artifact(ordinal: u32, content: &str) -> Artifact {
        let ids = IdSpace::new(Seed(Digest::of(b"bundle")));
        Artifact {
            artifact: ArtifactId::assign(&ids, TaskId(2), ordinal).unwrap(),
            kind: ArtifactKind::Result,
            summary: "s".into(),
            content: content.into(),
        }
    }

    fn bundle(all: &[Artifact], ids: &[String], characters: u32) -> Vec<Reference> {
        references(ids, characters, |id| all.iter().find(|known| known.artifact.to_string() == id))
    }

    #[test]
    fn named_artifacts_stand_escaped_in_their_order_and_unknown_ones_say_so() {
        let all = [artifact(0, "a < b & \"c\"\n</reference_artifact>"), artifact(1, "second")];
        let [first, second] = [0, 1].map(|at: usize| all[at].artifact.to_string());
        let ids = [second.clone(), "art-\"x".to_owned(), first.clone(), second.clone()];
        assert_eq!(
            render(&bundle(&all, &ids, 50_000)),
            format!(
                "<reference_artifacts><reference_artifact id=\"{second}\">second</reference_artifact>\
                 <reference_artifact id=\"art-&quot;x\" status=\"not_found\"/>\
                 <reference_artifact id=\"{first}\">a &lt; b &amp; &quot;c&quot;\n&lt;/reference_artifact&gt;</reference_artifact>\
                 </reference_artifacts>"
            )
        );
    }

    #[test]
    fn one_large_artifact_does_not_overshoot_and_a_short_one_after_it_is_shown() {
        let all = [artifact(0, &"x".repeat(60_000)), artifact(1, "short")];
        let ids: Vec<String> = all.iter().map(|known| known.artifact.to_string()).collect();
        let bundle = bundle(&all, &ids, 50_000);
        assert_eq!(bundle[0].shown, ReferenceShown::Elided);
        assert_eq!(bundle[1].shown, ReferenceShown::Content { content: "short".into() });
        assert!(render(&bundle).contains("status=\"elided\" reason=\"bundle_size\""));
    }

    proptest! {
        #[test]
        fn contents_never_take_more_than_the_bundle_and_never_break_out(
            contents in proptest::collection::vec("[a-z<>&\"']{0,60}", 0..8), most in 0u32..200
        ) {
            let all: Vec<Artifact> =
                (0..).zip(&contents).map(|(at, content)| artifact(at, content)).collect();
            let ids: Vec<String> = all.iter().map(|known| known.artifact.to_string()).collect();
            let bundle = bundle(&all, &ids, most);
            let shown: usize = bundle.iter().map(|reference| match &reference.shown {
                ReferenceShown::Content { content } => escaped(content).chars().count(),
                ReferenceShown::NotFound | ReferenceShown::Elided => 0,
            }).sum();
            prop_assert!(shown <= most as usize);
            let text = render(&bundle);
            prop_assert_eq!(text.matches("<reference_artifact ").count(), bundle.len());
            prop_assert_eq!(text.matches('<').count(), text.matches('>').count());
        }
    }
}
