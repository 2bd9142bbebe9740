//! The id map: numbers of applications and accounts.

use super::super::{Source, ese_database};
use artifacts::ese::Database;
use artifacts::sid;
use ledger::FieldValue;
use std::collections::HashMap;
use std::ops::ControlFlow;

pub(super) const TABLE: &str = "SruDbIdMapTable";

/// The `IdType` of a SID; 0 to 2 are a program, a service and a package, all in UTF-16.
const SID: i128 = 3;

/// The names and SIDs by their numbers.
pub(super) struct Ids {
    names: HashMap<i128, String>,
    sids: HashMap<i128, String>,
}

impl Ids {
    pub(super) fn read(source: &mut Source<'_, '_>, database: &Database<'_>) -> ControlFlow<(), Ids> {
        let mut ids = Ids { names: HashMap::new(), sids: HashMap::new() };
        let Some(table) = database.table(TABLE) else { return ControlFlow::Continue(ids) };
        ese_database::each_row(source, database, table, |source, mut row| {
            let (kind, index, blob) = (row.integer("IdType"), row.integer("IdIndex"), row.bytes("IdBlob"));
            for damage in &row.damage {
                source.damage(Some(damage.offset as u64), damage.what);
            }
            let (Some(kind), Some(index), Some(blob)) = (kind, index, blob) else {
                return ControlFlow::Continue(());
            };
            if kind.value == SID {
                ids.sids.extend(sid::sid(&blob.value, 0).map(|sid| (index.value, sid.value)));
            } else {
                let units: Vec<u16> =
                    blob.value.as_chunks().0.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
                let name = String::from_utf16_lossy(&units).trim_end_matches('\0').to_owned();
                ids.names.insert(index.value, name);
            }
            ControlFlow::Continue(())
        })?;
        ControlFlow::Continue(ids)
    }

    /// Returns the name of an application; `AppId` and the number if it has none.
    pub(super) fn application(&self, number: i128) -> FieldValue {
        match self.names.get(&number).filter(|name| !name.is_empty()) {
            Some(name) if name.contains('\\') => FieldValue::Path(name.clone()),
            Some(name) => FieldValue::Name(name.clone()),
            None => FieldValue::Name(format!("AppId {number}")),
        }
    }

    pub(super) fn sid(&self, number: i128) -> Option<FieldValue> {
        self.sids.get(&number).map(|sid| FieldValue::Sid(sid.clone()))
    }
}
