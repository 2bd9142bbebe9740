//! Locates errors in text files, and guesses what was meant.

use toml::de::Error;

/// Returns the line number of a byte offset, from 1.
pub(crate) fn line(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset.min(text.len())).unwrap_or_default();
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

/// Returns the known name that is nearest to one that a TOML file misspells;
/// `None` if the error is of another kind, or no name is similar.
///
/// `serde` lists the known names only in its message: "unknown field `x`, expected one of `a`, `b`".
pub fn nearest_known(error: &Error) -> Option<String> {
    let message = error.message();
    let rest =
        message.strip_prefix("unknown field `").or_else(|| message.strip_prefix("unknown variant `"))?;
    let (found, expected) = rest.split_once("`, expected ")?;
    let known = expected.split('`').skip(1).step_by(2);
    nearest(found, known).map(str::to_owned)
}

/// Returns the name in `known` that is most similar to `found`; `None` if none is similar enough.
pub fn nearest<'a>(found: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let found = found.to_lowercase();
    let likeness = |name: &&str| strsim::jaro_winkler(&found, &name.to_lowercase());
    let best = known.max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(&best) >= ALIKE).then_some(best)
}

/// The least similarity at which a name is suggested.
const ALIKE: f64 = 0.8;

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its members' names count")]
    struct Few {
        title: Option<u8>,
        time_zone: Option<u8>,
    }

    #[test]
    fn a_misspelt_name_has_its_nearest_and_a_strange_one_has_none() {
        for (text, expected) in [
            ("titel = 1", Some("title")),
            ("timezone = 1", Some("time_zone")),
            ("Title = 1", Some("title")),
            ("colour = 1", None),
            ("title = \"x\"", None),
        ] {
            let error = toml::from_str::<Few>(text).unwrap_err();
            assert_eq!(nearest_known(&error).as_deref(), expected, "{error}");
        }
    }

    #[test]
    fn lines_are_counted_from_one() {
        assert_eq!([0, 1, 2, 99].map(|offset| line("a\nb", offset)), [1, 1, 2, 2]);
    }
}
