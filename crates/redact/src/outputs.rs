//! Withholding in stored outputs.

use crate::facts::{field_name, locator, value, whole};
use crate::profile::Profile;
use crate::text::Redactor;
use crate::{Outputs, RedactError, free_name, output_digests};
use graph::Run;
use ledger::commitment::RunKey;
use ledger::{ByteSpan, Defect, Digest, Output, Record, RecordId};
use std::collections::{BTreeMap, BTreeSet};

/// The outputs of a run with values withheld.
#[derive(Debug, Default)]
pub(crate) struct RedactedOutputs {
    /// The replacements for the digests of changed outputs.
    pub(crate) stand_ins: BTreeMap<Digest, Digest>,
    /// The outputs that facts refer to, by replacement digest, or by the original digest if nothing was changed.
    pub(crate) bytes: BTreeMap<Digest, Vec<u8>>,
    /// The changed outputs among these, decoded, by replacement digest.
    read: BTreeMap<Digest, Output>,
}

impl RedactedOutputs {
    /// Returns where a value is in an output as shown.
    pub(crate) fn span(&self, stand_in: &Digest, record: RecordId, field: &str) -> Option<ByteSpan> {
        self.read.get(stand_in)?.value_span(record, field)
    }
}

/// Redacts every output of the run; the bytes of those that facts refer to are kept.
pub(crate) fn redact(
    run: &Run,
    stored: &Outputs<'_>,
    redactor: &Redactor,
    profile: &Profile,
    key: &RunKey,
) -> Result<RedactedOutputs, RedactError> {
    let cited: BTreeSet<Digest> = run.facts().map(|(_, accepted)| accepted.fact.output).collect();
    let mut outputs = RedactedOutputs::default();
    for digest in output_digests(run) {
        let bytes = stored(&digest);
        let Some(output) = bytes.as_ref().and_then(|bytes| Output::decode(bytes).ok()) else {
            // An unreadable output may hold anything.
            outputs.stand_ins.insert(digest, key.stand_in(&digest));
            continue;
        };
        let changed: Vec<Option<Record>> =
            output.records().iter().map(|it| record(it, redactor, profile)).collect();
        if changed.iter().all(Option::is_none) {
            outputs.bytes.extend(bytes.filter(|_| cited.contains(&digest)).map(|bytes| (digest, bytes)));
            continue;
        }
        let records =
            output.records().iter().zip(changed).map(|(held, it)| it.unwrap_or_else(|| held.clone()));
        let told = Output::new(records.collect()).map_err(RedactError::Output)?;
        let stand_in = key.stand_in(&digest);
        outputs.stand_ins.insert(digest, stand_in);
        if cited.contains(&digest) {
            outputs.bytes.insert(stand_in, told.bytes().to_vec());
            outputs.read.insert(stand_in, told);
        }
    }
    Ok(outputs)
}

/// Returns a record without what is withheld; `None` if nothing is.
fn record(held: &Record, redactor: &Redactor, profile: &Profile) -> Option<Record> {
    let mut told = held.clone();
    let mut changed = false;
    for (name, field) in &held.fields {
        let whole = whole(&held.kind, name, &field.value, redactor, profile);
        if let Some(marked) = whole.or_else(|| value(&field.value, redactor)) {
            changed = true;
            if let Some(field) = told.fields.get_mut(name) {
                field.value = marked;
                field.at = None;
            }
        }
        if let Some(other) = field_name(name, redactor) {
            changed = true;
            let free = free_name(other, |name| told.fields.contains_key(name));
            let field = told.fields.remove(name);
            told.fields.extend(field.map(|field| (free, field)));
        }
    }
    if let Some(place) = locator(&held.locator, redactor) {
        changed = true;
        told.locator = place;
    }
    for defect in &mut told.defects {
        changed |= redact_defect(defect, redactor);
    }
    changed.then_some(told)
}

fn redact_defect(defect: &mut Defect, redactor: &Redactor) -> bool {
    let (path, what) = (redactor.changed(&defect.path), redactor.changed(&defect.what));
    let changed = path.is_some() || what.is_some();
    defect.path = path.unwrap_or_else(|| std::mem::take(&mut defect.path));
    defect.what = what.unwrap_or_else(|| std::mem::take(&mut defect.what));
    changed
}
