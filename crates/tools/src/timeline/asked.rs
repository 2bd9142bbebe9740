//! What a call asks the timeline for.

use crate::catalogue::Call;
use crate::error::CallError;
use crate::hive_file;
use crate::place::{self, Place, Scope};
use crate::remains;
use crate::sink::{Excluded, nearest_names};
use crate::span::Span;
use crate::tables::{Moment, TableGroup, dates_rows};
use crate::units::{Origin, sources};
use ledger::pattern::{fits, fold};
use ledger::{FieldType, RecordType, Utc};
use std::collections::BTreeSet;

/// Nanoseconds in an hour.
const HOUR: i128 = 3600 * 1_000_000_000;

/// How much earlier and later than written a local time can be: zones range from 14 hours ahead of UTC to 12 hours behind it.
const LOCAL_REACH: (i128, i128) = (14 * HOUR, 12 * HOUR);

/// The arguments that fold rows about the same thing into one; the second also sorts the rarest first.
pub(super) const FOLD: &str = "fold";
pub(super) const RARE_FIRST: &str = "rare_first";
const FOLDING: [&str; 2] = [FOLD, RARE_FIRST];

/// The sources asked for by name, or all.
pub(crate) struct Sources(Option<BTreeSet<String>>);

impl Sources {
    /// Describes the argument `source`.
    pub(crate) fn about() -> String {
        let mut names: Vec<_> = sources().map(Origin::source).collect();
        names.sort_unstable();
        names.dedup();
        format!(
            "sources to look at, separated by commas: all, registry (keys by their last write), file_system (files and folders), or the name of a decoder of files or of an artifact of the registry: {}",
            names.join(", ")
        )
    }

    pub(crate) fn read(text: &str) -> Result<Sources, CallError> {
        let names: BTreeSet<_> =
            text.split(',').map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty()).collect();
        let mut known: Vec<_> = sources().map(Origin::source).chain(["all"]).collect();
        if let Some(found) = names.iter().find(|name| !known.contains(&name.as_str())) {
            known.sort_unstable();
            known.dedup();
            let allowed = known.into_iter().map(str::to_owned).collect();
            let (argument, found) = ("source".to_owned(), found.clone());
            return Err(CallError::ArgumentChoice { argument, allowed, found });
        }
        Ok(Sources(Some(names).filter(|names| !names.is_empty() && !names.contains("all"))))
    }

    /// Checks whether a source is asked for; what a search met counts if the search was for one of them.
    pub(crate) fn want(&self, origin: Origin) -> bool {
        let Some(names) = &self.0 else { return true };
        let any =
            |of: fn(&Origin) -> bool| sources().filter(of).any(|origin| names.contains(origin.source()));
        match origin {
            Origin::Values | Origin::Log(_) | Origin::Names => false,
            Origin::Hives => any(|origin| matches!(origin, Origin::Keys | Origin::Artifact(_))),
            Origin::Files => any(|origin| matches!(origin, Origin::Decoder(_))),
            Origin::Entries | Origin::Keys | Origin::Artifact(_) | Origin::Decoder(_) => {
                names.contains(origin.source())
            }
        }
    }

    /// Fails if none of their records has a time in a matching field.
    fn have(&self, pattern: &str) -> Result<(), CallError> {
        let asked = sources().filter(|origin| self.want(*origin)).flat_map(Origin::records);
        let fits = |record: &RecordType| {
            record
                .fields
                .keys()
                .any(|field| dates_rows(&record.name, field) && is_field(pattern, &record.name, field))
        };
        if asked.filter(has_times).any(|record| fits(&record)) {
            return Ok(());
        }
        let asked = sources().filter(|origin| self.want(*origin)).flat_map(Origin::records);
        let dating = asked.flat_map(|record| {
            let RecordType { name, fields, .. } = record;
            let dating = fields.into_iter().filter(|(_, meaning)| meaning.types.contains(&FieldType::Time));
            dating.map(|(field, _)| field).filter(move |field| dates_rows(&name, field))
        });
        let dating: Vec<String> = dating.collect();
        let nearest = nearest_names(pattern, dating.iter());
        Err(CallError::NoField { argument: "field", field: pattern.to_owned(), nearest })
    }

    /// Returns the names of the sources that were asked for individually.
    pub(super) fn named(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flatten().map(String::as_str)
    }

    /// Returns the groups of their tables.
    pub(crate) fn groups(&self) -> Vec<TableGroup> {
        let groups: BTreeSet<_> =
            sources().filter(|origin| self.want(*origin)).filter_map(TableGroup::of).collect();
        groups.into_iter().collect()
    }

    pub(super) fn only_keys() -> Sources {
        Sources(Some(BTreeSet::from([Origin::Keys.source().to_owned()])))
    }
}

fn has_times(record: &RecordType) -> bool {
    record.fields.values().any(|field| field.types.contains(&FieldType::Time))
}

/// Checks whether a pattern matches the name of a field, alone or with the record type.
fn is_field(pattern: &str, kind: &str, field: &str) -> bool {
    fits(pattern, field) || fits(pattern, &format!("{kind}.{field}"))
}

/// The conditions of a call.
pub(crate) struct Asked<'a> {
    pub(crate) scope: Scope<'a>,
    pub(crate) sources: Sources,
    pub(crate) span: Span,
    /// Case-folded.
    pub(crate) text: Option<String>,
    /// What must not occur in a record.
    pub(crate) excluded: Excluded,
    /// Whether records about the same thing become one row.
    pub(crate) folds: bool,
    /// The only record types; empty for all.
    pub(crate) only: &'static [&'static str],
    pub(crate) field: Option<String>,
    pub(crate) copied: bool,
    /// Whether one hive was named.
    pub(crate) one_hive: bool,
    pub(crate) key: Option<String>,
}

impl<'a> Asked<'a> {
    /// Reads the arguments of `timeline`.
    pub(super) fn read(call: &Call<'a>) -> Result<Asked<'a>, CallError> {
        let arguments = call.arguments;
        let (hive, key) = (arguments.optional_text("hive"), arguments.optional_text("key"));
        let (label, source) = (arguments.optional_text("evidence"), arguments.text("source")?);
        let mut sources = Sources::read(source)?;
        if hive.or(key).is_some() {
            if !sources.want(Origin::Keys) {
                let expected = "all or registry, for files have no \"hive\" and no \"key\"";
                return Err(CallError::Argument { argument: "source", expected, found: source.to_owned() });
            }
            sources = Sources::only_keys();
        }
        if hive.is_some() && !arguments.text("under")?.is_empty() {
            return Err(CallError::OneOf { one: "hive", other: "under" });
        }
        let scope = match hive {
            None => place::under(call.trees, label, arguments.text("under")?)?,
            Some(hive) => {
                let place = remains::whole(place::find(call.trees, label, hive)?)?;
                let Place { tree, node } = &place;
                hive_file::open(node, &hive_file::bytes(*tree, node)?)?;
                Scope { places: vec![place] }
            }
        };
        let field = arguments.optional_text("field");
        field.map_or(Ok(()), |field| sources.have(field))?;
        Ok(Asked {
            scope,
            sources,
            span: span(call)?,
            text: arguments.optional_text("text").map(fold),
            excluded: Excluded::read(arguments)?,
            only: &[],
            folds: FOLDING.iter().any(|flag| arguments.is_set(flag)),
            field: field.map(str::to_owned),
            copied: arguments.flag("copied_times")?,
            one_hive: hive.is_some(),
            key: key.map(str::to_owned),
        })
    }

    /// Asks for everything in the scope, for a tool that counts.
    pub(crate) fn of(scope: Scope<'a>, sources: Sources, span: Span) -> Asked<'a> {
        let (text, field, key) = (None, None, None);
        let (excluded, folds, only) = (Excluded::default(), false, &[][..]);
        let (copied, one_hive) = (false, false);
        Asked { scope, sources, span, text, excluded, folds, only, field, copied, one_hive, key }
    }

    /// Asks for only these record types, folded, for a tool that needs distinct subjects.
    pub(crate) fn of_types(scope: Scope<'a>, sources: Sources, only: &'static [&'static str]) -> Asked<'a> {
        Asked { folds: true, only, ..Asked::of(scope, sources, Span { from: None, to: None }) }
    }

    /// Checks whether the times of a field count: the pattern matches its name, alone or with the record type.
    pub(crate) fn counts(&self, kind: &str, field: &str) -> bool {
        let is_asked = self.only.is_empty() || self.only.contains(&kind);
        is_asked && self.field.as_ref().is_none_or(|pattern| is_field(pattern, kind, field))
    }

    /// Checks whether records are asked for regardless of their subject and of which of their times counts.
    pub(crate) fn is_unnarrowed(&self) -> bool {
        self.text.is_none() && self.excluded.is_empty() && self.field.is_none() && self.key.is_none()
    }

    /// Checks whether an instant is in the span; a local time is if some zone puts it there.
    pub(crate) fn spans(&self, moment: Moment) -> bool {
        let (earlier, later) = if moment.is_local { LOCAL_REACH } else { (0, 0) };
        let Span { from, to } = self.span;
        from.is_none_or(|from| from.unix_nanoseconds() <= moment.at + later)
            && to.is_none_or(|to| moment.at - earlier <= to.unix_nanoseconds())
    }
}

fn span(call: &Call<'_>) -> Result<Span, CallError> {
    let arguments = call.arguments;
    let around = Span::read(arguments, "around", "around")?.from;
    let Some(middle) = around else { return Span::read(arguments, "from", "to") };
    if ["from", "to"].into_iter().any(|end| arguments.optional_text(end).is_some()) {
        return Err(CallError::OneOf { one: "around", other: "from" });
    }
    let reach = i128::from(arguments.number("minutes")?) * 60 * 1_000_000_000;
    let at = |nanoseconds: i128| Utc::from_unix_nanoseconds(nanoseconds);
    let middle = middle.unix_nanoseconds();
    Ok(Span { from: at(middle - reach), to: at(middle + reach) })
}
