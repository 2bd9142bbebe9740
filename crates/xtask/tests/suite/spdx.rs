//! Reads SPDX licence expressions: `MIT OR Apache-2.0`, `(MIT OR ISC) AND Zlib`, `Apache-2.0 WITH LLVM-exception`.

use std::iter::Peekable;
use std::vec::IntoIter;

type Words = Peekable<IntoIter<String>>;

/// Checks whether licences for which `is_allowed` holds are enough for the expression; `None` if it is no expression.
///
/// `is_allowed` is asked about every licence of the expression. One WITH an exception is a licence of its own.
pub(crate) fn is_met(expression: &str, is_allowed: &mut dyn FnMut(&str) -> bool) -> Option<bool> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ");
    let words: Vec<String> = spaced.split_whitespace().map(str::to_owned).collect();
    let mut words = words.into_iter().peekable();
    let met = any(&mut words, is_allowed)?;
    words.next().is_none().then_some(met)
}

/// Converts to SPDX notation: older manifests have `/` for `OR`.
pub(crate) fn written(licence: &str) -> String {
    let names: Vec<_> = licence.split('/').map(str::trim).collect();
    names.join(" OR ")
}

/// Reads expressions with `OR` between them, which binds less than `AND`.
fn any(words: &mut Words, is_allowed: &mut dyn FnMut(&str) -> bool) -> Option<bool> {
    let mut met = all(words, is_allowed)?;
    while words.next_if(|word| word == "OR").is_some() {
        met |= all(words, is_allowed)?;
    }
    Some(met)
}

fn all(words: &mut Words, is_allowed: &mut dyn FnMut(&str) -> bool) -> Option<bool> {
    let mut met = one(words, is_allowed)?;
    while words.next_if(|word| word == "AND").is_some() {
        met &= one(words, is_allowed)?;
    }
    Some(met)
}

fn one(words: &mut Words, is_allowed: &mut dyn FnMut(&str) -> bool) -> Option<bool> {
    if words.next_if(|word| word == "(").is_some() {
        let met = any(words, is_allowed)?;
        return words.next_if(|word| word == ")").map(|_| met);
    }
    let licence = name(words)?;
    match words.next_if(|word| word == "WITH") {
        Some(_) => Some(is_allowed(&format!("{licence} WITH {}", name(words)?))),
        None => Some(is_allowed(&licence)),
    }
}

fn name(words: &mut Words) -> Option<String> {
    words.next_if(|word| !["(", ")", "OR", "AND", "WITH"].contains(&word.as_str()))
}

#[test]
fn a_licence_expression_is_read_as_spdx_defines_it() {
    let allowed = ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"];
    for (expression, expected) in [
        ("MIT", Some(true)),
        ("Other", Some(false)),
        ("Other OR MIT", Some(true)),
        ("Other AND MIT", Some(false)),
        ("MIT AND Zlib", Some(true)),
        ("MIT OR Zlib AND Other", Some(true)),
        ("(MIT OR Zlib) AND Other", Some(false)),
        ("((Other OR MIT)) AND (Zlib)", Some(true)),
        ("Apache-2.0", Some(false)),
        ("Apache-2.0 WITH LLVM-exception", Some(true)),
        ("MIT WITH LLVM-exception", Some(false)),
        ("Other OR Apache-2.0 WITH LLVM-exception AND MIT", Some(true)),
        ("mit", Some(false)),
        ("", None),
        ("MIT OR", None),
        ("AND MIT", None),
        ("MIT Zlib", None),
        ("(MIT", None),
        ("MIT)", None),
        ("MIT WITH", None),
        ("(MIT) WITH LLVM-exception", None),
    ] {
        let met = is_met(expression, &mut |licence| allowed.contains(&licence));
        assert_eq!(met, expected, "{expression:?}");
    }
    assert_eq!(written("MIT/Apache-2.0"), "MIT OR Apache-2.0");
    assert_eq!(written("Apache-2.0 / MIT"), "Apache-2.0 OR MIT");
}
