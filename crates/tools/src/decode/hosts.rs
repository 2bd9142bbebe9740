//! The `hosts` file.

use super::{Decoder, Head, Source, parts};
use crate::intake::Flow;
use crate::spec;
use artifacts::Located;
use artifacts::hosts::{self, HostsLine};
use evidence::ReadError;
use ledger::FieldType::{Integer, List, Name};
use ledger::{ByteSpan, FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "hosts_entry";

/// The longest file that is read.
const LONGEST: u64 = 32 << 20;

pub(crate) const DECODER: Decoder = Decoder {
    name: "hosts",
    about: "names that the system takes for an address without asking anybody",
    names: &["**/drivers/etc/hosts"],
    common_names: &[],
    fits,
    records,
    read,
};

/// Checks for the name and for text: text has no zeros, and nothing but the name identifies the file.
fn fits(head: &Head<'_>) -> bool {
    head.name.eq_ignore_ascii_case("hosts") && !head.bytes.contains(&0)
}

fn records() -> Vec<RecordType> {
    vec![spec::record(
        KIND,
        "a line of the hosts file that gives names an address; not that anything was looked up or reached",
        "name",
        &[
            ("name", &[Name], "the first name of the line"),
            ("names", &[List], "all names of the line"),
            ("address", &[Name], "the address that they get"),
            ("line", &[Integer], "number of the line, from 1"),
        ],
    )]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LONGEST)?;
    parts::tell_text_damage(source, &bytes);
    let (lines, more) = hosts::read(&bytes);
    if more {
        source.gap("more lines than are read");
    }
    for HostsLine { number, address, names } in lines {
        let Some((first, last)) = names.first().zip(names.last()) else { continue };
        let end = last.offset.saturating_add(last.length);
        let span = ByteSpan::new(address.offset as u64, end.saturating_sub(address.offset) as u64);
        let all = names.iter().map(|name| name.value.clone()).collect();
        let name = |found: &Located<String>| FieldValue::Name(found.value.clone());
        let row = source
            .row(KIND, Some(span))
            .field_at("name", name(first), Some(parts::place(0, first)))
            .field("names", FieldValue::List(all))
            .field_at("address", name(&address), Some(parts::place(0, &address)))
            .field("line", FieldValue::Integer(number as i128));
        if source.push(row).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}
