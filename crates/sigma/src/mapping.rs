//! Maps a log source to records, and its fields to their names there: `data/sources.toml`.

use crate::template::Template;
use rsigma_parser::LogSource;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use thiserror::Error;

/// The word in `records` for every event of a log.
const EVENTS: &str = "events";

/// Records against which the rules of a log source are matched.
#[derive(Debug)]
pub(crate) struct Source {
    category: Option<String>,
    product: Option<String>,
    service: Option<String>,
    /// The record types; empty for every event of a log.
    pub(crate) records: Vec<String>,
    /// Channels in lower case; empty for any.
    channels: Vec<String>,
    /// Event ids, sorted; empty for any.
    ids: Vec<u32>,
    /// Whether its fields are not known in advance.
    pub(crate) open: bool,
    /// Whether its records only say what exists, not that somebody did it.
    pub(crate) state: bool,
    pub(crate) only: BTreeMap<String, Vec<String>>,
    /// Event data that have no field of their own.
    pub(crate) has: Vec<String>,
    pub(crate) fields: BTreeMap<String, Vec<Template>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    source: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    category: Option<String>,
    product: Option<String>,
    service: Option<String>,
    records: Vec<String>,
    #[serde(default)]
    channels: Vec<String>,
    #[serde(default)]
    ids: Vec<u32>,
    #[serde(default)]
    open: bool,
    #[serde(default)]
    state: bool,
    #[serde(default)]
    only: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    has: Vec<String>,
    #[serde(default)]
    fields: BTreeMap<String, Vec<String>>,
}

/// Why the table of log sources cannot be read.
#[derive(Debug, Error)]
pub enum MappingError {
    /// It is not TOML of this form.
    #[error("read the table of log sources")]
    Toml(#[source] Box<toml::de::Error>),
    /// A form of a field cannot be read.
    #[error("the field {field} is written as {form:?}: expected text with {{name}} in it")]
    Form {
        /// The field.
        field: String,
        /// Its form.
        form: String,
    },
}

/// Reads a table of log sources.
pub(crate) fn read(text: &str) -> Result<Vec<Source>, MappingError> {
    let document: Document = toml::from_str(text).map_err(|error| MappingError::Toml(Box::new(error)))?;
    document.source.into_iter().map(source).collect()
}

/// Returns the table of this version of the program; a test checks that it can be read.
pub(crate) fn shipped() -> &'static [Source] {
    static SHIPPED: LazyLock<Vec<Source>> =
        LazyLock::new(|| read(include_str!("../data/sources.toml")).unwrap_or_default());
    &SHIPPED
}

fn source(entry: Entry) -> Result<Source, MappingError> {
    let mut fields = BTreeMap::new();
    for (field, forms) in entry.fields {
        let read = |form: String| {
            Template::read(&form).ok_or_else(|| MappingError::Form { field: field.clone(), form })
        };
        let forms = forms.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        fields.insert(field, forms);
    }
    let mut ids = entry.ids;
    ids.sort_unstable();
    Ok(Source {
        category: entry.category,
        product: entry.product,
        service: entry.service,
        records: entry.records.into_iter().filter(|name| name != EVENTS).collect(),
        channels: entry.channels.into_iter().map(|channel| channel.to_lowercase()).collect(),
        ids,
        open: entry.open,
        state: entry.state,
        only: entry.only,
        has: entry.has,
        fields,
    })
}

impl Source {
    /// Checks whether a rule of this log source is matched against these records.
    pub(crate) fn is_meant_by(&self, logsource: &LogSource) -> bool {
        let same = |own: &Option<String>, asked: &Option<String>| match (own, asked) {
            (Some(own), Some(asked)) => own.eq_ignore_ascii_case(asked),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        let narrows = |own: &Option<String>, asked: &Option<String>| asked.is_none() || same(own, asked);
        let product =
            logsource.product.is_none() || self.product.is_none() || same(&self.product, &logsource.product);
        // A category says what is meant, whichever service reports it.
        let service = match self.category {
            Some(_) => narrows(&self.service, &logsource.service),
            None => same(&self.service, &logsource.service),
        };
        let is_named =
            logsource.category.is_some() || logsource.service.is_some() || logsource.product.is_some();
        is_named && same(&self.category, &logsource.category) && service && product
    }

    /// Checks whether log events are among its records.
    pub(crate) fn is_of_events(&self) -> bool {
        self.records.is_empty()
    }

    /// Checks whether a record of this type (for an event, also of this channel and id) is one of its records.
    pub(crate) fn takes(&self, kind: &str, event: Option<(&str, u32)>) -> bool {
        match event {
            Some((channel, id)) => {
                self.is_of_events()
                    && (self.ids.is_empty() || self.ids.binary_search(&id).is_ok())
                    && (self.channels.is_empty() || self.channels.iter().any(|own| own == channel))
            }
            None => self.records.iter().any(|own| own == kind),
        }
    }

    /// Returns the channels and ids of its events; empty if it takes events of any.
    pub(crate) fn events(&self) -> impl Iterator<Item = (&str, u32)> {
        self.channels.iter().flat_map(|channel| self.ids.iter().map(move |id| (channel.as_str(), *id)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_table_reads() {
        assert!(read(include_str!("../data/sources.toml")).unwrap().len() > 50);
    }
}
