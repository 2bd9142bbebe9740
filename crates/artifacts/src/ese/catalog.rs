//! The catalog: the tree at page 4 that names tables, columns and long values (specification, section 6 "Database").

use super::long::LongValues;
use super::page::Pages;
use super::record::Record;
use super::tree::Entries;
use crate::damage::{Damage, DamageKind};
use crate::fields::{u16_at, u32_at};
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

/// Root page of the catalog.
const CATALOG: u32 = 4;

/// The most tables and columns that are read.
const MOST: usize = 200_000;

/// Columns of the catalog, which it calls `Name` and `TemplateTable`.
const NAME: u32 = 128;
const TEMPLATE: u32 = 130;

/// A table and its columns.
pub struct Table<'d> {
    /// Its name.
    pub name: String,
    /// Its number in the catalog.
    pub id: u32,
    /// The root page of its tree.
    pub root: u32,
    /// Its columns by number; the columns of its template table come first, if it has one.
    pub columns: Vec<Column>,
    pub(super) long_root: Option<u32>,
    pub(super) long: OnceCell<LongValues<'d>>,
    template: Option<String>,
    names: HashMap<String, usize>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its number: fixed size below 128, variable below 256, tagged above.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub kind: ColumnType,
    /// Code page of texts; 1200 is UTF-16.
    pub code_page: u32,
    /// Size of a fixed-size value in bytes.
    pub(super) size: usize,
    /// Offset of a fixed-size value in a record.
    pub(super) offset: usize,
    /// Whether the column belongs to the template table.
    pub(super) of_template: bool,
}

/// The types of columns (JET_coltyp).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// JET_coltypBit: a byte, zero or nonzero.
    Bit,
    /// JET_coltypUnsignedByte.
    U8,
    /// JET_coltypShort.
    I16,
    /// JET_coltypUnsignedShort.
    U16,
    /// JET_coltypLong.
    I32,
    /// JET_coltypUnsignedLong.
    U32,
    /// JET_coltypCurrency and JET_coltypLongLong.
    I64,
    /// JET_coltypUnsignedLongLong.
    U64,
    /// JET_coltypIEEESingle.
    F32,
    /// JET_coltypIEEEDouble.
    F64,
    /// JET_coltypDateTime: days since 1899-12-30 as a double, or whatever a program stores there.
    DateTime,
    /// JET_coltypGUID.
    Guid,
    /// JET_coltypBinary and JET_coltypLongBinary.
    Binary,
    /// JET_coltypText and JET_coltypLongText.
    Text,
    /// Any other number; 0 is a deleted column.
    Other(u32),
}

impl ColumnType {
    fn of(number: u32) -> ColumnType {
        match number {
            1 => ColumnType::Bit,
            2 => ColumnType::U8,
            3 => ColumnType::I16,
            4 => ColumnType::I32,
            5 | 15 => ColumnType::I64,
            6 => ColumnType::F32,
            7 => ColumnType::F64,
            8 => ColumnType::DateTime,
            9 | 11 => ColumnType::Binary,
            10 | 12 => ColumnType::Text,
            14 => ColumnType::U32,
            16 => ColumnType::Guid,
            17 => ColumnType::U16,
            18 => ColumnType::U64,
            other => ColumnType::Other(other),
        }
    }

    fn size(self) -> Option<usize> {
        match self {
            ColumnType::Bit | ColumnType::U8 => Some(1),
            ColumnType::I16 | ColumnType::U16 => Some(2),
            ColumnType::I32 | ColumnType::U32 | ColumnType::F32 => Some(4),
            ColumnType::I64 | ColumnType::U64 | ColumnType::F64 | ColumnType::DateTime => Some(8),
            ColumnType::Guid => Some(16),
            ColumnType::Binary | ColumnType::Text | ColumnType::Other(_) => None,
        }
    }
}

impl Table<'_> {
    /// Returns the column of this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.get(*self.names.get(name)?)
    }
}

/// One entry of the catalog.
enum Item {
    Table {
        id: u32,
        root: u32,
        name: String,
        template: Option<String>,
    },
    Column(Column),
    LongValues {
        root: u32,
    },
    /// An index or a callback.
    Other,
}

/// The catalog entries of one table.
#[derive(Default)]
struct Parts {
    table: Option<(u32, u32, String, Option<String>)>,
    columns: Vec<Column>,
    long_root: Option<u32>,
}

/// Reads the catalog; adds what is wrong with it to `damage`.
pub(super) fn read<'d>(pages: &Pages<'d>, damage: &mut Vec<Damage>) -> Vec<Table<'d>> {
    let mut tables: BTreeMap<u32, Parts> = BTreeMap::new();
    let mut entries = Entries::below(pages, CATALOG);
    for (count, entry) in entries.by_ref().enumerate() {
        if count >= MOST {
            damage.push(Damage::at(
                entry.offset,
                DamageKind::TooMany { what: "entries of the catalog", limit: MOST },
            ));
            break;
        }
        let item = Record::read(entry.data, entry.offset, pages.large).and_then(|record| item(&record));
        let Some((table, item)) = item else {
            let (length, available) = (entry.data.len(), entry.data.len());
            let what = "a field of an entry of the catalog";
            damage.push(Damage::at(entry.offset, DamageKind::Outside { what, length, available }));
            continue;
        };
        let parts = tables.entry(table).or_default();
        match item {
            Item::Table { id, root, name, template } => parts.table = Some((id, root, name, template)),
            Item::Column(column) => parts.columns.push(column),
            Item::LongValues { root } => parts.long_root = Some(root),
            Item::Other => {}
        }
    }
    damage.extend(entries.take_damage());
    with_templates(tables.into_values().filter_map(Parts::table).collect())
}

impl Parts {
    fn table<'d>(self) -> Option<Table<'d>> {
        let (id, root, name, template) = self.table?;
        let mut columns = self.columns;
        columns.sort_by_key(|column| column.id);
        let (long_root, long) = (self.long_root, OnceCell::new());
        Some(Table { name, id, root, columns, long_root, long, template, names: HashMap::new() })
    }
}

/// Adds the template's columns to tables that have a template, and sets the column names of every table.
fn with_templates(mut tables: Vec<Table<'_>>) -> Vec<Table<'_>> {
    let wanted: Vec<_> = tables.iter().filter_map(|table| table.template.clone()).collect();
    let templates: HashMap<String, Vec<Column>> = tables
        .iter()
        .filter(|table| table.template.is_none() && wanted.contains(&table.name))
        .map(|table| (table.name.clone(), table.columns.clone()))
        .collect();
    // A hostile catalog may give many tables a template with many columns.
    let mut room = MOST;
    for table in &mut tables {
        if let Some(columns) = table.template.as_ref().and_then(|name| templates.get(name))
            && columns.len() <= room
        {
            room -= columns.len();
            let inherited = columns.iter().map(|column| Column { of_template: true, ..column.clone() });
            table.columns.splice(0..0, inherited);
        }
        place_fixed(&mut table.columns);
        let names = table.columns.iter().enumerate().map(|(index, column)| (column.name.clone(), index));
        table.names = names.collect();
    }
    tables
}

/// Places the fixed-size values of the catalog's own columns one after the other, unless the catalog gives usable
/// offsets.
fn place_fixed(columns: &mut [Column]) {
    let mut fixed: Vec<_> = columns.iter_mut().filter(|column| column.id < NAME).collect();
    fixed.sort_by_key(|column| column.id);
    let offsets: Vec<_> = fixed.iter().map(|column| column.offset).collect();
    if offsets.first().is_none_or(|first| *first >= 4) && offsets.is_sorted_by(|one, next| one < next) {
        return;
    }
    let mut at = 4usize;
    for column in fixed {
        column.offset = at;
        at = at.saturating_add(column.size);
    }
}

/// Reads an entry, and the number of the table it belongs to.
fn item(record: &Record<'_>) -> Option<(u32, Item)> {
    let data = record.data;
    let (table, kind, id, number) =
        (u32_at(data, 4)?, u16_at(data, 8)?, u32_at(data, 10)?, u32_at(data, 14)?);
    let name = || record.variable(NAME).map(|(name, _)| text(name));
    let item = match kind {
        1 => {
            let template =
                record.variable(TEMPLATE).map(|(name, _)| text(name)).filter(|name| !name.is_empty());
            Item::Table { id, root: number, name: name()?, template }
        }
        2 => {
            let kind = ColumnType::of(number);
            let usage = u32_at(data, 18)? as usize;
            let code_page = record.fixed(7, 26, 4).and_then(|field| u32_at(field, 0)).unwrap_or(0);
            let offset = record.fixed(9, 31, 2).and_then(|field| u16_at(field, 0)).unwrap_or(0);
            let (size, offset) = (kind.size().unwrap_or(usage), usize::from(offset));
            Item::Column(Column { id, name: name()?, kind, code_page, size, offset, of_template: false })
        }
        4 => Item::LongValues { root: number },
        _ => Item::Other,
    };
    Some((table, item))
}

/// Reads a name; ESE allows only ASCII letters.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
