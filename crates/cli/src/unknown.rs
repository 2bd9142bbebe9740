//! Complaints about unknown names, with the name that was probably meant.

use crate::failure::Failure;

/// A name that is not among the known ones.
#[derive(Debug)]
pub(crate) struct Unknown {
    /// The kind of thing it should name, such as `predicate`.
    pub(crate) what: &'static str,
    /// The name as it was typed.
    pub(crate) found: String,
    nearest: Option<String>,
    known: Vec<String>,
}

/// The most known names to list if none is similar.
const LISTED: usize = 24;

impl Unknown {
    /// A hint at what to type instead.
    pub(crate) fn hint(&self) -> String {
        if let Some(nearest) = &self.nearest {
            return format!("did you mean `{nearest}`?");
        }
        let more = if self.known.len() > LISTED { ", …" } else { "" };
        let listed: Vec<&str> = self.known.iter().take(LISTED).map(String::as_str).collect();
        match listed.is_empty() {
            true => format!("there is no {} to name", self.what),
            false => format!("there is {}{more}", listed.join(", ")),
        }
    }
}

/// Returns an error if `found` is not among the known names.
pub(crate) fn check<'k>(
    what: &'static str,
    found: &str,
    known: impl Iterator<Item = &'k str>,
) -> Result<(), Failure> {
    let known: Vec<&str> = known.collect();
    match known.contains(&found) {
        true => Ok(()),
        false => Err(Failure::Unknown(Box::new(unknown(what, found, &known)))),
    }
}

/// The complaint about a name, with the nearest known one.
pub(crate) fn unknown(what: &'static str, found: &str, known: &[&str]) -> Unknown {
    Unknown {
        what,
        found: found.to_owned(),
        nearest: app::nearest(found, known.iter().copied()).map(str::to_owned),
        known: known.iter().map(|name| (*name).to_owned()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_near_is_proposed_and_else_all_are_told() {
        let known = ["executed", "present"];
        assert_eq!(unknown("predicate", "exceuted", &known).hint(), "did you mean `executed`?");
        assert_eq!(unknown("predicate", "xyz", &known).hint(), "there is executed, present");
        assert_eq!(unknown("host", "xyz", &[]).hint(), "there is no host to name");
        assert!(check("predicate", "present", known.into_iter()).is_ok());
        assert!(check("predicate", "Present", known.into_iter()).is_err());
    }
}
