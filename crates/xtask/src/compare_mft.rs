//! `cargo xtask compare-mft`: compares how we and `mft_dump` (crate `mft`, 0.9) read the files and folders in an `$MFT`.
//!
//! It needs `mft_dump` (`cargo install mft`). For each base record with a name, it compares:
//! sequence, whether it is in use and whether it is a folder, name and path, size, and the eight times to 100 ns.
//! It counts differences by kind and prints the first ones; it fails if there are any.

use artifacts::csv_rows::{self, CsvRow, Found, Table};
use evidence::{EvidencePath, MacbTimes, MftFile, MftFileEntry, MftName, ORPHAN, Tree, escape_name};
use ledger::Precision;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// The maximum number of differences printed for each kind.
const SHOWN: usize = 5;

/// What the other program prints for a FILETIME of 0.
const UNSET: &str = "1601-01-01T00:00:00.0000000Z";

/// The other program's words for an unknown parent folder.
const UNKNOWN: [&str; 2] = ["[Orphaned]", "[Unknown]"];

/// Their time columns, in the order of [`instants`].
const TIMES: [&str; 8] = [
    "StandardInfoCreated",
    "StandardInfoLastModified",
    "StandardInfoLastMftModified",
    "StandardInfoLastAccess",
    "FileNameCreated",
    "FileNameLastModified",
    "FileNameLastMftModified",
    "FileNameLastAccess",
];

/// The data of an entry that both readers return.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Entry {
    sequence: String,
    in_use: bool,
    directory: bool,
    name: String,
    /// The path from the root of the volume; `None` if a parent folder is unknown.
    path: Option<String>,
    /// The size of the main stream, or of any named one.
    sizes: Vec<String>,
    times: Vec<String>,
}

/// Compares one file; returns the number of differences.
pub(crate) fn compare(path: &Path, say: &mut dyn FnMut(String)) -> io::Result<usize> {
    let theirs = read(&dumped(path)?)?;
    let (ours, nameless) = ours(path, &theirs)?;
    let mut different: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (number, they) in &theirs {
        match ours.get(number) {
            Some(we) => {
                for (kind, told) in differences(we, they) {
                    different.entry(kind).or_default().push(format!("{number}: {told}"));
                }
            }
            None => different.entry("only mft_dump's").or_default().push(format!("{number}: {they:?}")),
        }
    }
    for (number, we) in ours.iter().filter(|(number, _)| !theirs.contains_key(number)) {
        different.entry("only ours").or_default().push(format!("{number}: {we:?}"));
    }
    let total = different.values().map(Vec::len).sum();
    let counted: Vec<_> = different.iter().map(|(kind, all)| format!("{kind} {}", all.len())).collect();
    say(format!(
        "{}: {} entries, mft_dump {}; {nameless} base records without a name; differences: {}",
        path.display(),
        ours.len(),
        theirs.len(),
        if counted.is_empty() { "none".to_owned() } else { counted.join(", ") }
    ));
    for (kind, all) in different {
        all.into_iter().take(SHOWN).for_each(|one| say(format!("  {kind}: {one}")));
    }
    Ok(total)
}

/// Returns the differences, by kind.
fn differences(we: &Entry, they: &Entry) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let mut hold = |kind, same: bool, ours: String, theirs: String| {
        if !same {
            found.push((kind, format!("{} ours {ours}, mft_dump {theirs}", we.name)));
        }
    };
    hold("sequence", we.sequence == they.sequence, we.sequence.clone(), they.sequence.clone());
    hold("in use", we.in_use == they.in_use, we.in_use.to_string(), they.in_use.to_string());
    hold("folder", we.directory == they.directory, we.directory.to_string(), they.directory.to_string());
    hold("name", we.name == they.name, format!("{:?}", we.name), format!("{:?}", they.name));
    hold("path", we.path == they.path, format!("{:?}", we.path), format!("{:?}", they.path));
    let size = they.sizes.iter().all(|size| we.sizes.contains(size));
    hold("size", size, format!("{:?}", we.sizes), format!("{:?}", they.sizes));
    for (column, (ours, theirs)) in TIMES.iter().zip(we.times.iter().zip(&they.times)) {
        hold(column, ours == theirs, ours.clone(), theirs.clone());
    }
    found
}

#[expect(clippy::disallowed_methods, reason = "the chore compares with another program")]
fn dumped(path: &Path) -> io::Result<Vec<u8>> {
    let output = std::process::Command::new("mft_dump").args(["-o", "csv"]).arg(path).output()?;
    Ok(output.stdout)
}

/// Returns the base records in their table that have a name.
fn read(csv: &[u8]) -> io::Result<BTreeMap<u64, Entry>> {
    let broken = |what: String| io::Error::other(format!("the table of mft_dump {what}"));
    let mut table = csv_rows::table(csv).ok_or_else(|| broken("has no first row".to_owned()))?;
    let columns = Columns::of(&table).map_err(|column| broken(format!("has no column {column}")))?;
    let mut entries = BTreeMap::new();
    for found in table.by_ref() {
        match found {
            Found::Damage(damage) => {
                return Err(broken(format!("at byte {}: {}", damage.offset, damage.what)));
            }
            Found::Row(row) => entries.extend(columns.entry(&row)),
        }
    }
    Ok(entries)
}

/// The indexes of their columns.
struct Columns(BTreeMap<&'static str, usize>);

impl Columns {
    /// Finds the columns; the error is the name of a missing one.
    fn of(table: &Table<'_>) -> Result<Columns, &'static str> {
        let others = [
            "EntryId",
            "Sequence",
            "BaseEntryId",
            "FileSize",
            "IsADirectory",
            "IsDeleted",
            "FullPath",
            "FileName",
        ];
        let numbered = |name| Ok((name, table.column(name).ok_or(name)?));
        others.into_iter().chain(TIMES).map(numbered).collect::<Result<_, _>>().map(Columns)
    }

    fn get<'r>(&self, row: &'r CsvRow, name: &str) -> &'r str {
        self.0.get(name).and_then(|column| row.get(*column)).map_or("", |value| &value.value)
    }

    fn entry(&self, row: &CsvRow) -> Option<(u64, Entry)> {
        let get = |name| self.get(row, name);
        let name = Some(get("FileName")).filter(|name| !name.is_empty() && get("BaseEntryId") == "0")?;
        let time = |name: &&'static str| {
            Some(get(name)).filter(|time| *time != UNSET).unwrap_or_default().to_owned()
        };
        let entry = Entry {
            sequence: get("Sequence").to_owned(),
            in_use: get("IsDeleted") == "false",
            directory: get("IsADirectory") == "true",
            name: escape_name(name.as_bytes()),
            path: path(get("FullPath")),
            sizes: vec![get("FileSize").to_owned()],
            times: TIMES.iter().map(time).collect(),
        };
        Some((get("EntryId").parse().ok()?, entry))
    }
}

/// Converts their path to our notation.
fn path(text: &str) -> Option<String> {
    if text == "." {
        // The root's name.
        return Some(text.to_owned());
    }
    let parts = text.split('\\').map(|part| escape_name(part.as_bytes())).collect::<Vec<_>>();
    let known = !text.split('\\').any(|part| UNKNOWN.contains(&part));
    known.then(|| parts.join("/"))
}

/// Returns our entries, each under the name that the other program uses if it lists the entry, and the number of records without a name.
fn ours(path: &Path, theirs: &BTreeMap<u64, Entry>) -> io::Result<(BTreeMap<u64, Entry>, u64)> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let tree = evidence::open_directory(folder, "files").map_err(io::Error::other)?;
    let name = escape_name(path.file_name().unwrap_or_default().as_encoded_bytes());
    let file = EvidencePath::parse(&name).map_err(io::Error::other)?;
    let no_file = || io::Error::from(io::ErrorKind::NotFound);
    let node = tree.node(&file).map_err(io::Error::other)?.ok_or_else(no_file)?;
    let reader = tree.open(&node, None).map_err(io::Error::other)?;
    let no_table = || io::Error::other(format!("{}: no $MFT", path.display()));
    let mut file = MftFile::open(reader).map_err(io::Error::other)?.ok_or_else(no_table)?;
    let mut entries = BTreeMap::new();
    for number in file.numbers() {
        let found = file.entry(number, &EvidencePath::root()).map_err(io::Error::other)?;
        if let Some(found) = found {
            entries.insert(number, entry(&found, theirs.get(&number)));
        }
    }
    Ok((entries, file.summary().nameless))
}

fn entry(found: &MftFileEntry, theirs: Option<&Entry>) -> Entry {
    let named =
        |name: &&MftName| theirs.is_some_and(|they| they.name == name.name && they.path == known(name));
    let name = found.names.iter().find(named).or(found.names.first());
    let information = found.description.standard_information.as_ref().map(|found| &found.times);
    let streams = found.streams.iter().map(|stream| stream.size.to_string());
    let none = MacbTimes::default();
    let mut times = instants(information.unwrap_or(&none));
    times.extend(instants(name.map_or(&none, |name| &name.times)));
    Entry {
        sequence: found.description.sequence.to_string(),
        in_use: found.description.in_use,
        directory: found.description.directory,
        name: name.map(|name| name.name.clone()).unwrap_or_default(),
        path: name.and_then(known),
        // For a file without a main stream, the other program prints the size of a named one, or 0.
        sizes: match found.size {
            Some(size) => vec![size.to_string()],
            None => streams.chain(["0".to_owned()]).collect(),
        },
        times,
    }
}

fn known(name: &MftName) -> Option<String> {
    Some(name.path.clone()).filter(|path| name.known && !path.starts_with(ORPHAN))
}

/// Returns the times of creation, modification, change and access.
fn instants(times: &MacbTimes) -> Vec<String> {
    [&times.born, &times.modified, &times.changed, &times.accessed]
        .map(|time| time.as_ref().and_then(|time| time.utc).map(|utc| utc.to_text(Precision::Filetime)))
        .map(Option::unwrap_or_default)
        .to_vec()
}

#[cfg(test)]
mod tests {
    use super::{Entry, TIMES, differences, path, read};

    #[test]
    fn what_mft_dump_prints_is_read() -> std::io::Result<()> {
        let times = TIMES.join(",");
        let head =
            format!("EntryId,Sequence,BaseEntryId,FileSize,IsADirectory,IsDeleted,FullPath,FileName,{times}");
        let rows = "5,1,0,7,false,true,Users\\\"a, b\",\"a, b\",1601-01-01T00:00:00.0000000Z,2,3,4,5,6,7,8\n\
            6,1,5,0,false,false,,x,,,,,,,,\n7,1,0,0,false,false,,,,,,,,,,\n";
        let rows = rows.replace("Users\\\"a, b\"", "\"Users\\a, b\"");
        let found = read(format!("{head}\n{rows}").as_bytes())?;
        let entry = &found[&5];
        assert_eq!(found.len(), 1, "what extends another record or has no name is left out");
        assert_eq!((entry.name.as_str(), entry.path.as_deref()), ("a, b", Some("Users/a, b")));
        assert_eq!((entry.in_use, entry.times[0].as_str(), entry.times[7].as_str()), (false, "", "8"));
        assert_eq!(path("[Orphaned]\\a"), None);
        assert_eq!(differences(entry, entry), []);
        let other = Entry { in_use: true, ..entry.clone() };
        assert_eq!(differences(&other, entry).len(), 1);
        Ok(())
    }
}
