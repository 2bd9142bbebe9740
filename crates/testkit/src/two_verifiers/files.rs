//! Changes files of a run apart from its rows: the manifest, the database's header and structure, and surrounding files.

use super::edit::{another, another_type};
use super::kinds::{OfFiles, Page};
use crate::random::Random;
use crate::tamper::{guards, write};
use rusqlite::Connection;
use serde_json::Value;
use std::io;
use std::path::Path;

/// The members of the manifest that the page covers.
const MEMBERS: [&str; 5] = ["head", "events", "payloads", "format", "run"];

pub(super) const KINDS: &[OfFiles] = &[
    ("manifest: a member of the page: another value", Page::Whole, |copy, random| {
        manifest(copy, random, |manifest, random| {
            let name = *random.pick(&MEMBERS)?;
            let member = manifest.get_mut(name)?;
            match member.get_mut("minor") {
                Some(minor) => another(minor, random),
                None => another(member, random),
            }
            Some(name.to_owned())
        })
    }),
    ("manifest: a member of the page: another type", Page::Whole, |copy, random| {
        manifest(copy, random, |manifest, random| {
            let name = *random.pick(&MEMBERS)?;
            let member = manifest.get_mut(name)?;
            *member = another_type(member, random);
            Some(name.to_owned())
        })
    }),
    ("manifest: a member of the page: gone", Page::Whole, |copy, random| {
        manifest(copy, random, |manifest, random| {
            let name = *random.pick(&MEMBERS)?;
            manifest.as_object_mut()?.remove(name)?;
            Some(name.to_owned())
        })
    }),
    ("manifest: another member: another value, or gone", Page::Part, |copy, random| {
        manifest(copy, random, |manifest, random| {
            let members = manifest.as_object_mut()?;
            let others: Vec<String> =
                members.keys().filter(|name| !MEMBERS.contains(&name.as_str())).cloned().collect();
            let name = random.pick(&others)?;
            match random.below(2) {
                0 => drop(members.remove(name)),
                _ => another(members.get_mut(name)?, random),
            }
            Some(name.clone())
        })
    }),
    ("manifest: one more member", Page::Part, |copy, random| {
        manifest(copy, random, |manifest, _| {
            manifest.as_object_mut()?.insert("zz".to_owned(), 1.into());
            Some("zz".to_owned())
        })
    }),
    ("manifest: written otherwise", Page::Whole, |copy, random| {
        text(copy, random, |text, random| {
            let value: Value = serde_json::from_str(text).ok()?;
            Some(match random.below(4) {
                0 => (value.to_string(), "in one line"),
                1 => (format!("\n\t {text} \r\n"), "blanks around it"),
                2 => (text.replacen("\"head\"", "\"\\u0068ead\"", 1), "an escaped letter"),
                _ => (text.replacen(": ", ":    ", 7), "more blanks"),
            })
        })
    }),
    ("manifest: no JSON, or JSON in a form of few readers", Page::Whole, |copy, random| {
        text(copy, random, |text, random| {
            Some(match random.below(8) {
                0 => (String::new(), "nothing"),
                1 => (format!("{text}x"), "a letter behind it"),
                2 => (text.replacen("\"events\": ", "\"events\": 0", 1), "a leading zero"),
                3 => (text.replacen(",\n  \"payloads\"", ".0,\n  \"payloads\"", 1), "a fraction of zero"),
                4 => (format!("[{text}]"), "in a list"),
                5 => (text.replacen("\"events\": ", "\"events\": NaN, \"e\": ", 1), "a number that is none"),
                6 => (format!("\u{feff}{text}"), "a byte order mark"),
                _ => (text.replacen("}\n", ",}\n", 1), "a comma too many"),
            })
        })
    }),
    ("manifest: a member twice", Page::Whole, |copy, random| {
        text(copy, random, |text, random| {
            let name = random.pick(&MEMBERS)?;
            let value: Value = serde_json::from_str(text).ok()?;
            Some(match random.below(2) {
                0 => (text.replacen('{', &format!("{{\"{name}\": 1,"), 1), "another before it"),
                _ => (text.replacen('{', &format!("{{\"{name}\": {},", value.get(name)?), 1), "the same"),
            })
        })
    }),
    ("manifest: gone, or a folder", Page::Whole, |copy, random| {
        let path = copy.join("manifest.json");
        std::fs::remove_file(&path)?;
        Ok(Some(match random.below(2) {
            0 => "gone".to_owned(),
            _ => {
                std::fs::create_dir(path)?;
                "a folder".to_owned()
            }
        }))
    }),
    ("a journal beside the run, with content", Page::Whole, |copy, random| {
        let ends = ["wal", "shm", "journal"];
        let end = random.pick(&ends).copied().unwrap_or_default();
        write(&copy.join(format!("run.db-{end}")), b"some bytes")?;
        Ok(Some(end.to_owned()))
    }),
    ("an empty journal beside the run", Page::Whole, |copy, random| {
        let ends = ["wal", "journal"];
        let end = random.pick(&ends).copied().unwrap_or_default();
        write(&copy.join(format!("run.db-{end}")), b"")?;
        Ok(Some(end.to_owned()))
    }),
    ("another file in the folder", Page::Whole, |copy, _| {
        write(&copy.join("notes.txt"), b"some bytes")?;
        Ok(Some("notes.txt".to_owned()))
    }),
    ("run.db: bytes behind its end", Page::Whole, |copy, random| {
        let path = copy.join("run.db");
        let more = 1 + random.below(9000);
        write(&path, &[std::fs::read(&path)?, vec![0; more]].concat())?;
        Ok(Some(format!("{more} bytes")))
    }),
    ("run.db: empty, gone or no database", Page::Whole, |copy, random| {
        let path = copy.join("run.db");
        match random.below(3) {
            0 => write(&path, b"")?,
            1 => std::fs::remove_file(&path)?,
            _ => write(&path, &[7; 9000])?,
        }
        Ok(Some("run.db".to_owned()))
    }),
    ("run.db: a number of its header", Page::Whole, |copy, random| {
        let application = random.below(1 << 30);
        sql(
            copy,
            &match random.below(4) {
                0 => format!("PRAGMA application_id = {application}"),
                1 => "PRAGMA user_version = 0".to_owned(),
                2 => format!("PRAGMA user_version = {}", random.below(1 << 20)),
                _ => format!("PRAGMA user_version = {}", (2 << 16) + random.below(100)),
            },
        )
    }),
    ("run.db: a table, an index or a column more", Page::Whole, |copy, random| {
        let all = [
            "CREATE TABLE notes (a INTEGER) STRICT",
            "CREATE TABLE event (a)",
            "CREATE TABLE payload AS SELECT * FROM payloads LIMIT 1",
            "ALTER TABLE events ADD COLUMN note TEXT",
            "ALTER TABLE payloads ADD COLUMN note TEXT",
            "ALTER TABLE events ADD COLUMN twice TEXT GENERATED ALWAYS AS (name || name)",
        ];
        sql(copy, random.pick(&all).copied().unwrap_or_default())
    }),
    ("run.db: a trigger, a view or an index more or less", Page::Part, |copy, random| {
        let all = [
            "DROP TRIGGER events_stay",
            "DROP TRIGGER payloads_keep_their_content",
            "DROP VIEW facts",
            "CREATE VIEW more AS SELECT * FROM events",
            "CREATE TRIGGER more BEFORE DELETE ON events BEGIN SELECT 1; END",
            "CREATE INDEX more ON events (name)",
        ];
        sql(copy, random.pick(&all).copied().unwrap_or_default())
    }),
    ("run.db: a table renamed, gone, or a view in its place", Page::Whole, |copy, random| {
        let table = if random.below(2) == 0 { "events" } else { "payloads" };
        guarded(
            copy,
            &match random.below(4) {
                0 => format!("ALTER TABLE {table} RENAME TO other;"),
                1 => format!("DROP TABLE {table};"),
                2 => format!(
                    "ALTER TABLE {table} RENAME TO other; CREATE VIEW {table} AS SELECT * FROM other;"
                ),
                _ => format!("DELETE FROM {table};"),
            },
        )
    }),
    ("run.db: a value stored as another type", Page::Whole, |copy, random| {
        let changes = [
            "UPDATE events SET event = CAST(event AS BLOB) WHERE position = ?",
            "UPDATE events SET circumstance = CAST(circumstance AS BLOB) WHERE position = ?",
            "UPDATE events SET name = CAST(name AS BLOB) WHERE position = ?",
            "UPDATE events SET sequence = CAST(sequence AS TEXT) || 'x' WHERE position = ?",
            "UPDATE events SET stream = stream + 0.5 WHERE position = ?",
            "UPDATE events SET stream_hash = CAST(stream_hash AS TEXT) WHERE position = ?",
            "UPDATE payloads SET body = CAST(body AS TEXT) WHERE rowid = 1 + ?",
            "UPDATE payloads SET encoding = CAST(encoding AS BLOB) WHERE rowid = 1 + ?",
            "UPDATE payloads SET length = length + 0.5 WHERE rowid = 1 + ?",
        ];
        let change = random.pick(&changes).copied().unwrap_or_default();
        let change = change.replace('?', &random.below(30).to_string());
        loosened(copy, &change)
    }),
];

/// Changes the manifest as a value, and writes it as a person would.
fn manifest(
    copy: &Path,
    random: &mut Random,
    change: impl FnOnce(&mut Value, &mut Random) -> Option<String>,
) -> io::Result<Option<String>> {
    let path = copy.join("manifest.json");
    let before: Value = serde_json::from_slice(&std::fs::read(&path)?)?;
    let mut value = before.clone();
    let what = change(&mut value, random).filter(|_| value != before);
    write(&path, &serde_json::to_vec_pretty(&value)?)?;
    Ok(what)
}

/// Changes the text of the manifest.
fn text(
    copy: &Path,
    random: &mut Random,
    change: impl FnOnce(&str, &mut Random) -> Option<(String, &'static str)>,
) -> io::Result<Option<String>> {
    let path = copy.join("manifest.json");
    let before = std::fs::read_to_string(&path)?;
    let Some((after, what)) = change(&before, random).filter(|(after, _)| *after != before) else {
        return Ok(None);
    };
    write(&path, after.as_bytes())?;
    Ok(Some(what.to_owned()))
}

fn sql(copy: &Path, sql: &str) -> io::Result<Option<String>> {
    let connection = Connection::open(copy.join("run.db")).map_err(io::Error::other)?;
    // If SQLite refuses, such as a cast that no column accepts, it is not a change.
    Ok(connection.execute_batch(sql).ok().map(|()| sql.to_owned()))
}

/// Changes the database with the triggers dropped, and restores them afterwards if possible.
fn guarded(copy: &Path, change: &str) -> io::Result<Option<String>> {
    let connection = Connection::open(copy.join("run.db")).map_err(io::Error::other)?;
    let (drop_all, restore) = guards(&connection).map_err(io::Error::other)?;
    let changed = connection.execute_batch(&format!("{drop_all} {change}"));
    drop(connection.execute_batch(&restore));
    Ok(changed.ok().map(|()| change.to_owned()))
}

/// Changes the database while its tables accept values of every type.
fn loosened(copy: &Path, change: &str) -> io::Result<Option<String>> {
    let path = copy.join("run.db");
    let strict = |from: &str, to: &str| {
        sql(
            copy,
            &format!(
                "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '{from}', '{to}') WHERE type = 'table'; PRAGMA writable_schema = RESET;"
            ),
        )
    };
    strict(") STRICT", ") /*STR*/")?;
    let before = std::fs::read(&path)?;
    let changed = guarded(copy, change)?;
    let is_same = std::fs::read(&path)? == before;
    strict(") /*STR*/", ") STRICT")?;
    Ok(changed.filter(|_| !is_same))
}
