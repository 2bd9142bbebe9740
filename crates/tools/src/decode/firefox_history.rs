//! History of Firefox: visits to pages.
//!
//! Times are microseconds since 1970-01-01 UTC.
//! Sources: the tables of the database itself; Mozilla, `nsINavHistoryService.idl`, for the types of visits.

use super::chromium_history::{VISIT, begun, number, text, visit_type};
use super::sqlite::{self, Opened, Stated, micros};
use super::{Decoder, Head, Source};
use crate::intake::Flow;
use ledger::FieldValue;
use std::collections::HashMap;
use std::ops::ControlFlow;

pub(crate) const DECODER: Decoder = Decoder {
    name: "firefox_history",
    about: "pages visited with Firefox",
    names: &["places.sqlite"],
    common_names: &[],
    fits: |head: &Head<'_>| {
        head.name.eq_ignore_ascii_case("places.sqlite") && sqlite::is_database(head.bytes)
    },
    records: || vec![visit_type()],
    read: |source| sqlite::with(source, entries),
};

fn entries(source: &mut Source<'_, '_>, opened: &Opened) -> Flow {
    let places = opened.rows(source, "moz_places", &["id", "url", "title", "visit_count"]);
    let mut by_id: HashMap<i64, &Stated> = HashMap::new();
    for place in &places {
        if let Some(id) = place.row.integer(0) {
            by_id.entry(id).or_insert(place);
        }
    }
    let columns = ["id", "place_id", "visit_date", "from_visit", "visit_type"];
    let visits = opened.rows(source, "moz_historyvisits", &columns);
    let place_of: HashMap<i64, i64> =
        visits.iter().filter_map(|visit| Some((visit.row.integer(0)?, visit.row.integer(1)?))).collect();
    for visit in &visits {
        let place = visit.row.integer(1).and_then(|id| by_id.get(&id));
        let Some((place, url)) = place.and_then(|place| Some((place, place.row.text(1)?))) else {
            source.damage(
                None,
                format!(
                    "moz_historyvisits: row {}: expected the row of its address, found none",
                    visit.row.rowid
                ),
            );
            continue;
        };
        let from = visit.row.integer(3).and_then(|id| place_of.get(&id)).and_then(|id| by_id.get(id));
        let row = begun(source, VISIT, "moz_historyvisits", visit)
            .field("url", text(url))
            .maybe("title", place.row.text(2).map(text), None)
            .maybe("time", micros(visit.row.integer(2), 0), None)
            .maybe("transition", visit.row.integer(4).map(transition), None)
            .maybe("visit_count", number(place.row.integer(3)), None)
            .maybe("from_url", from.and_then(|from| from.row.text(1)).map(text), None);
        source.push(row)?;
    }
    ControlFlow::Continue(())
}

fn transition(number: i64) -> FieldValue {
    let name = match number {
        1 => "link",
        2 => "typed",
        3 => "bookmark",
        4 => "embed",
        5 => "redirect_permanent",
        6 => "redirect_temporary",
        7 => "download",
        8 => "framed_link",
        9 => "reload",
        _ => return FieldValue::Name(number.to_string()),
    };
    FieldValue::Name(name.to_owned())
}
