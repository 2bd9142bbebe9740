//! History of Chromium-based browsers (Chrome, Edge, Brave, Opera): visits, downloads, searches.
//!
//! Times are microseconds since 1601-01-01 UTC.
//! Sources: the tables of the database itself; Chromium, `components/history/core/browser` and `ui/base/page_transition_types.h`.

use super::sqlite::{self, Opened, Stated, micros};
use super::{Decoder, Head, Source};
use crate::intake::Flow;
use crate::row::Row;
use crate::spec;
use ledger::FieldType::{self, Flag, Integer, Name, Path, Text, Time};
use ledger::{FieldValue, RecordType};
use std::collections::HashMap;
use std::ops::ControlFlow;

pub(super) const VISIT: &str = "page_visit";
pub(super) const DOWNLOAD: &str = "browser_download";
const SEARCH: &str = "browser_search";

/// Seconds from 1601 to 1970.
const WEBKIT: i128 = 11_644_473_600;

pub(crate) const DECODER: Decoder = Decoder {
    name: "chromium_history",
    about: "pages visited, files downloaded and terms searched with Chrome, Edge and other browsers made of Chromium",
    names: &["History", "Archived History"],
    common_names: &[],
    fits: |head: &Head<'_>| {
        ["History", "Archived History"].iter().any(|name| head.name.eq_ignore_ascii_case(name))
            && sqlite::is_database(head.bytes)
    },
    records,
    read: |source| sqlite::with(source, entries),
};

fn records() -> Vec<RecordType> {
    let search = spec::record(
        SEARCH,
        "a term that a search engine was asked for from the address bar or on its page; not that a user typed it whole",
        "term",
        &with_common(&[
            ("term", &[Text], "the term"),
            ("url", &[Text], "address of the page of results"),
            ("time", &[Time], "last visit of that page"),
        ]),
    );
    vec![download_type(), visit_type(), search]
}

type Fields<'a> = Vec<(&'a str, &'a [FieldType], &'a str)>;

fn with_common<'a>(own: &[(&'a str, &'a [FieldType], &'a str)]) -> Fields<'a> {
    let common: [(&str, &[FieldType], &str); 3] = [
        ("row", &[Path], "path of the database in the evidence, the table and the number of the row"),
        ("user", &[Name], "folder of the user that the database stands in, where it stands in one"),
        (
            "state",
            &[Name],
            "wal, or journal, where only that log has the row like this; checkpointed where only the file alone has it; left out where both have",
        ),
    ];
    own.iter().chain(&common).copied().collect()
}

pub(super) fn visit_type() -> RecordType {
    spec::record(
        VISIT,
        "one visit of a page; not that a user saw it: redirects, frames and restored tabs are visits too",
        "url",
        &with_common(&[
            ("url", &[Text], "address of the page"),
            ("title", &[Text], "its title when it was last visited"),
            ("time", &[Time], "when it was visited"),
            ("transition", &[Name], "how the browser came to it, such as link or typed"),
            (
                "origin",
                &[Name],
                "where the visit was made, if not in this browser: synced (on another device of the account), imported (by another browser), extension",
            ),
            ("visit_count", &[Integer], "visits of the page in all"),
            ("typed_count", &[Integer], "how often its address was typed"),
            ("duration_us", &[Integer], "microseconds until the page was left"),
            ("from_url", &[Text], "page that led to it"),
        ]),
    )
}

pub(super) fn download_type() -> RecordType {
    spec::record(
        DOWNLOAD,
        "a file that the browser downloaded or began to; `state` says how it ended; not that it was opened, nor that it is still there",
        "file",
        &with_common(&[
            ("file", &[Path, Text], "where it was put; its address where no path is kept"),
            ("url", &[Text], "address that it came from, the last of a chain"),
            ("first_url", &[Text], "first address of the chain, where there are several"),
            ("referrer", &[Text], "page that led to it"),
            ("time", &[Time], "when the download began"),
            ("ended", &[Time], "when it ended"),
            ("opened_at", &[Time], "when it was last opened from the browser"),
            ("received_bytes", &[Integer], "bytes received"),
            ("total_bytes", &[Integer], "bytes it should have"),
            ("state_of_download", &[Name], "in_progress, complete, cancelled, interrupted or the number"),
            ("danger", &[Integer], "danger_type: 0 none; others say what the browser warned of"),
            ("opened", &[Flag], "whether it was opened from the browser"),
            ("mime_type", &[Text], "type that the server named"),
        ]),
    )
}

fn entries(source: &mut Source<'_, '_>, opened: &Opened) -> Flow {
    let urls =
        opened.rows(source, "urls", &["id", "url", "title", "visit_count", "typed_count", "last_visit_time"]);
    let mut by_id: HashMap<i64, &Stated> = HashMap::new();
    for url in &urls {
        // The row with the logs applied comes first and is the current one.
        if let Some(id) = url.row.integer(0) {
            by_id.entry(id).or_insert(url);
        }
    }
    let columns =
        ["id", "url", "visit_time", "from_visit", "transition", "visit_duration", "originator_cache_guid"];
    let visits = opened.rows(source, "visits", &columns);
    // Most visits have no row in this table.
    let sources = opened.rows(source, "visit_source", &["id", "source"]);
    let source_of: HashMap<i64, i64> =
        sources.iter().filter_map(|told| Some((told.row.integer(0)?, told.row.integer(1)?))).collect();
    let url_of: HashMap<i64, i64> =
        visits.iter().filter_map(|visit| Some((visit.row.integer(0)?, visit.row.integer(1)?))).collect();
    for visit in &visits {
        let page = visit.row.integer(1).and_then(|id| by_id.get(&id));
        let Some(url) = page.and_then(|page| page.row.text(1)) else {
            source.damage(
                None,
                format!("visits: row {}: expected the row of its address, found none", visit.row.rowid),
            );
            continue;
        };
        let from = visit.row.integer(3).and_then(|id| url_of.get(&id)).and_then(|id| by_id.get(id));
        let page = |column| page.and_then(|page| page.row.integer(column));
        let title = visit.row.integer(1).and_then(|id| by_id.get(&id)).and_then(|page| page.row.text(2));
        let row = begun(source, VISIT, "visits", visit)
            .field("url", text(url))
            .maybe("title", title.map(text), None)
            .maybe("time", micros(visit.row.integer(2), WEBKIT), None)
            .maybe("transition", visit.row.integer(4).map(transition), None)
            .maybe("origin", origin(visit, &source_of), None)
            .maybe("visit_count", number(page(3)), None)
            .maybe("typed_count", number(page(4)), None)
            .maybe("duration_us", number(visit.row.integer(5).filter(|time| *time > 0)), None)
            .maybe("from_url", from.and_then(|from| from.row.text(1)).map(text), None);
        source.push(row)?;
    }
    downloads(source, opened)?;
    searches(source, opened, &by_id)
}

/// Returns the origin of a visit that this browser did not make itself; visits from another device have the id of its cache.
///
/// Numbers: `VisitSource` in Chromium's `components/history/core/browser/history_types.h`.
fn origin(visit: &Stated, source_of: &HashMap<i64, i64>) -> Option<FieldValue> {
    let name = match visit.row.integer(0).and_then(|id| source_of.get(&id)) {
        Some(0) => "synced",
        Some(2) => "extension",
        Some(3..) => "imported",
        _ if visit.row.text(6).is_some_and(|guid| !guid.is_empty()) => "synced",
        _ => return None,
    };
    Some(FieldValue::Name(name.to_owned()))
}

fn downloads(source: &mut Source<'_, '_>, opened: &Opened) -> Flow {
    let mut chains: HashMap<i64, Vec<(i64, String)>> = HashMap::new();
    for link in opened.rows(source, "downloads_url_chains", &["id", "chain_index", "url"]) {
        if let (Some(id), Some(index), Some(url)) =
            (link.row.integer(0), link.row.integer(1), link.row.text(2))
        {
            chains.entry(id).or_default().push((index, url.to_owned()));
        }
    }
    chains.values_mut().for_each(|chain| chain.sort());
    let columns = [
        "id",
        "target_path",
        "current_path",
        "full_path",
        "url",
        "referrer",
        "tab_url",
        "start_time",
        "end_time",
        "last_access_time",
        "received_bytes",
        "total_bytes",
        "state",
        "danger_type",
        "opened",
        "mime_type",
    ];
    for download in opened.rows(source, "downloads", &columns) {
        let row = &download.row;
        let chain = row.integer(0).and_then(|id| chains.get(&id));
        let url = chain.and_then(|chain| chain.last()).map(|(_, url)| url.as_str()).or(row.text(4));
        let first = chain.filter(|chain| chain.len() > 1).and_then(|chain| chain.first());
        let path = row.text(1).or(row.text(2)).or(row.text(3));
        let Some(file) = path.map(|path| FieldValue::Path(path.to_owned())).or(url.map(text)) else {
            continue;
        };
        // The first versions of Chromium stored seconds since 1970.
        let time = |column| match row.integer(column) {
            Some(old) if row.text(3).is_some() && old < 100_000_000_000 => sqlite::seconds(Some(old)),
            other => micros(other, WEBKIT),
        };
        let built = begun(source, DOWNLOAD, "downloads", &download)
            .field("file", file)
            .maybe("url", url.map(text), None)
            .maybe("first_url", first.map(|(_, url)| text(url)), None)
            .maybe("referrer", row.text(5).or(row.text(6)).map(text), None)
            .maybe("time", time(7), None)
            .maybe("ended", time(8), None)
            .maybe("opened_at", time(9), None)
            .maybe("received_bytes", number(row.integer(10)), None)
            .maybe("total_bytes", number(row.integer(11).filter(|total| *total > 0)), None)
            .maybe("state_of_download", row.integer(12).map(state), None)
            .maybe("danger", number(row.integer(13)), None)
            .maybe("opened", row.integer(14).map(|opened| FieldValue::Flag(opened != 0)), None)
            .maybe("mime_type", row.text(15).map(text), None);
        source.push(built)?;
    }
    ControlFlow::Continue(())
}

fn searches(source: &mut Source<'_, '_>, opened: &Opened, urls: &HashMap<i64, &Stated>) -> Flow {
    for search in opened.rows(source, "keyword_search_terms", &["term", "url_id"]) {
        let Some(term) = search.row.text(0) else { continue };
        let page = search.row.integer(1).and_then(|id| urls.get(&id));
        let row = begun(source, SEARCH, "keyword_search_terms", &search)
            .field("term", text(term))
            .maybe("url", page.and_then(|page| page.row.text(1)).map(text), None)
            .maybe("time", page.and_then(|page| micros(page.row.integer(5), WEBKIT)), None);
        source.push(row)?;
    }
    ControlFlow::Continue(())
}

pub(super) fn begun(source: &Source<'_, '_>, kind: &str, table: &str, stated: &Stated) -> Row {
    let user = sqlite::user(source.node.path.as_str());
    sqlite::located(source, kind, table, stated).maybe("user", user, None)
}

pub(super) fn text(text: &str) -> FieldValue {
    FieldValue::Text(text.to_owned())
}

pub(super) fn number(number: Option<i64>) -> Option<FieldValue> {
    number.map(|number| FieldValue::Integer(number.into()))
}

/// Names the lowest byte of a transition.
fn transition(number: i64) -> FieldValue {
    let name = match number & 0xFF {
        0 => "link",
        1 => "typed",
        2 => "auto_bookmark",
        3 => "auto_subframe",
        4 => "manual_subframe",
        5 => "generated",
        6 => "start_page",
        7 => "form_submit",
        8 => "reload",
        9 => "keyword",
        10 => "keyword_generated",
        _ => return FieldValue::Name(number.to_string()),
    };
    FieldValue::Name(name.to_owned())
}

fn state(number: i64) -> FieldValue {
    let name = match number {
        0 => "in_progress",
        1 => "complete",
        2 => "cancelled",
        3 | 4 => "interrupted",
        _ => return FieldValue::Name(number.to_string()),
    };
    FieldValue::Name(name.to_owned())
}
