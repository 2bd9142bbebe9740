//! The kinds of seeded claims; `docs/gate-bench.md` describes each of them.

use super::seed::{Maker, Seeded};
use super::{absent, cite, counts, epochs, idle, mutate, quotes, recombine, reformat, times};
use serde::Serialize;

/// The expected result of a kind's claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// They should be accepted, at the right place.
    Truth,
    /// They should be refused.
    Falsehood,
    /// They should be refused, or accepted with the omitted part added by code.
    Omission,
}

/// How it is ensured that a claim of a kind is true or false.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    /// A false claim: the scan finds no record that contains it.
    StandsNowhere,
    /// A false claim: the scan finds no record that contains it and proves its predicate.
    ProvedNowhere,
    /// The construction of the claim ensures it.
    Made,
    /// A false claim: its words are in no text about its subject.
    QuotedNowhere,
}

/// A kind of seeded claims.
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) side: Side,
    pub(super) check: Check,
    /// For true claims: whether they cite no call of their task, or another one than they were read from.
    pub(super) miscited: bool,
    /// What a run without claims of the kind lacks.
    pub(super) needs: &'static str,
    pub(super) make: for<'m> fn(&mut Maker<'m>) -> Option<Seeded>,
}

type Make = for<'m> fn(&mut Maker<'m>) -> Option<Seeded>;

const fn truth(name: &'static str, needs: &'static str, make: Make) -> Kind {
    Kind { name, side: Side::Truth, check: Check::Made, miscited: false, needs, make }
}

const fn miscited(name: &'static str, needs: &'static str, make: Make) -> Kind {
    Kind { miscited: true, ..truth(name, needs, make) }
}

const fn falsehood(name: &'static str, needs: &'static str, make: Make) -> Kind {
    Kind { name, side: Side::Falsehood, check: Check::StandsNowhere, miscited: false, needs, make }
}

const fn made(name: &'static str, needs: &'static str, make: Make) -> Kind {
    checked(falsehood(name, needs, make), Check::Made)
}

const fn omission(name: &'static str, needs: &'static str, make: Make) -> Kind {
    Kind { name, side: Side::Omission, check: Check::Made, miscited: false, needs, make }
}

const fn checked(kind: Kind, check: Check) -> Kind {
    Kind { check, ..kind }
}

const RECORDS: &str = "records that prove anything";
const TELLING: &str = "records with a value of six characters or more";
const TWO_TASKS: &str = "a second task with outputs of its own";
const INSTANTS: &str = "times of the examined host that name an instant";

const COUNTED: &str = "tools that count, or three records of a type in one file";
const TWO_TIMES: &str = "two different instants of one host that facts can state";
const SEARCHED: &str = "files that records were read from";
const IDLE: &str = "scheduled tasks, services or entries of Run keys";
const TASKS: &str = "scheduled tasks";

/// Every kind: true claims, false claims, omissions.
pub(super) const KINDS: &[Kind] = &[
    truth("cited_right", RECORDS, cite::cited_right),
    truth("recorded_again", "facts", cite::recorded_again),
    miscited("id_digit_changed", TELLING, cite::digit_changed),
    miscited("id_transposed", TELLING, cite::transposed),
    miscited("id_truncated", TELLING, cite::truncated),
    truth("id_without_prefix", TELLING, cite::without_prefix),
    truth("id_upper_case", TELLING, cite::upper_case),
    miscited("id_of_other_call", "a second call of the task, without the reading", cite::other_call),
    miscited("id_of_other_task", TWO_TASKS, cite::other_task),
    truth("letter_case", "names, paths, keys, GUIDs, SIDs or bytes", reformat::letter_case),
    truth("hash_case", "hashes", reformat::hash_case),
    truth("slashes", "paths or keys with separators", reformat::slashes),
    truth("json_escapes", "texts, names or paths with something to escape", reformat::json_escapes),
    truth("white_space", RECORDS, reformat::white_space),
    truth("backticks", RECORDS, reformat::backticks),
    truth("double_quotes", RECORDS, reformat::double_quotes),
    truth("single_quotes", RECORDS, reformat::single_quotes),
    truth("guid_braces", "GUIDs", reformat::guid_braces),
    truth("hive_alias", "paths of keys that begin with a root of the registry", reformat::hive_alias),
    truth("hive_mounted", "keys of the hives SOFTWARE, SYSTEM, SAM or SECURITY", reformat::hive_mounted),
    truth("drive_letter", "paths that begin with a drive's folder", reformat::drive_letter),
    truth("hexadecimal", "whole numbers or sizes", reformat::hexadecimal),
    truth("size_in_bytes", "sizes", reformat::size_in_bytes),
    truth("size_grouped", "sizes from 1,000", reformat::size_grouped),
    truth("time_offset", INSTANTS, times::offset),
    truth("time_rfc_3339", INSTANTS, times::rfc_3339),
    truth("time_fewer_decimals", "times finer than a second", times::fewer_decimals),
    truth("time_filetime", "times of the precision of a FILETIME", times::filetime),
    truth("time_epoch", "times after 1970", times::epoch),
    truth("quotation", "texts that can be quoted", quotes::quotation),
    truth("counts_apart", COUNTED, counts::sum_of_apart),
    truth("order_across_step", TWO_TIMES, epochs::order_across),
    truth("absence_searched", SEARCHED, absent::searched),
    falsehood("digit_changed", "values with digits", mutate::digit_changed),
    falsehood("letter_changed", "values with letters", mutate::letter_changed),
    falsehood("homoglyph", "values with letters that others look like", mutate::homoglyph),
    falsehood("fullwidth_letter", "values with letters", mutate::fullwidth),
    falsehood("invisible_character", "values with letters", mutate::invisible),
    falsehood("prefix", "values of two characters or more", mutate::prefix),
    falsehood("substring", "values of two characters or more", mutate::substring),
    falsehood("invented", RECORDS, mutate::invented),
    falsehood("neighbour_value", "outputs with several records of a type", recombine::neighbour),
    falsehood("recombined", "several records of a type", recombine::recombined),
    falsehood("other_subject", "several records of a type", recombine::other_subject),
    falsehood("wrong_field", "record types with several fields", recombine::wrong_field),
    checked(falsehood("wrong_predicate", RECORDS, recombine::wrong_predicate), Check::ProvedNowhere),
    made("misplaced", "records of files that belong somewhere", recombine::misplaced),
    made("foreign", "records of event logs", recombine::foreign),
    made("denied_predicate", "records that say the opposite of a predicate", recombine::denied),
    made("expired_disabled", IDLE, idle::disabled),
    made("expired_on_demand", "scheduled tasks or services", idle::on_demand),
    made("expired_once", TASKS, idle::once),
    made("expired_until_end", TASKS, idle::until_end),
    falsehood("argument_only", "texts of arguments that stand in no output", recombine::argument),
    falsehood("remark_only", "notes, gaps or damage of texts that stand in no output", recombine::remark),
    falsehood("other_task_value", TWO_TASKS, cite::of_other_task_as_cited),
    falsehood("other_task_value_own_id", TWO_TASKS, cite::of_other_task_under_own_id),
    falsehood("time_second_off", INSTANTS, times::second_off),
    falsehood("time_hour_off", INSTANTS, times::hour_off),
    falsehood("time_zone_mislabelled", INSTANTS, times::zone_mislabelled),
    falsehood("time_without_zone", INSTANTS, times::zoneless),
    falsehood("time_too_fine", "times coarser than a nanosecond", times::finer),
    made("time_of_copy", "times that only a copy has", times::copied),
    checked(
        falsehood("negation_cut", "texts to quote with a negation", quotes::negation_cut),
        Check::QuotedNowhere,
    ),
    checked(
        falsehood("negation_added", "texts to quote of two words or more", quotes::negation_added),
        Check::QuotedNowhere,
    ),
    checked(falsehood("word_cut", "texts to quote", quotes::word_cut), Check::QuotedNowhere),
    checked(
        falsehood("out_of_context_lines", "texts of several lines to quote", quotes::lines_joined),
        Check::QuotedNowhere,
    ),
    falsehood("narrowed_count_other", COUNTED, counts::of_other),
    made("narrowed_sum", COUNTED, counts::sum_of_shared),
    made("crossed_order", TWO_TIMES, epochs::order),
    made("crossed_span", TWO_TIMES, epochs::span),
    made("look_alike_searched", SEARCHED, absent::searched_look_alike),
    omission("narrowed_count", COUNTED, counts::narrowed),
    omission("out_of_context", "texts to quote of several words in a line", quotes::out_of_context),
    omission("look_alike_absence", SEARCHED, absent::look_alike),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_described_and_none_else() {
        let page = include_str!("../../../../docs/gate-bench.md");
        let page = page.split("## How a falsehood is known").next().unwrap();
        let described: Vec<&str> =
            page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
        let known: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        assert_eq!(described, known);
    }
}
