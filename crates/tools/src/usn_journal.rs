//! `usn_journal`: what change journals tell, record by record or name by name.

use crate::catalogue::Call;
use crate::decode::usn_journal::{Wanted, all, history, read_wanted};
use crate::decode::{Source, named};
use crate::error::CallError;
use crate::intake::Intake;
use crate::returned::{Return, chain};
use crate::sink::{self, Sink};
use crate::units::Origin;
use crate::{place, source_files, spec};
use ledger::{Gap, RecordType, ToolSpec};

/// The decoder.
const DECODER: &str = "usn_journal";

pub(crate) fn spec() -> ToolSpec {
    let mut arguments = vec![
        (
            "per",
            spec::choice(
                "\"name\": one record for each name, with how often files of it were made, renamed and deleted, first and last, instead of the single records",
                &["name"],
            ),
        ),
        (
            "reason",
            spec::text(
                "reasons of which a record must have one, separated by commas, such as FILE_CREATE, FILE_DELETE, RENAME_NEW_NAME",
            ),
        ),
        ("entry", spec::optional_number("number of the $MFT entry of the file", 0, spec::MAX_EXACT)),
        ("under", spec::text_or("folder below which to look for journals; empty for everything", "")),
        ("evidence", spec::text("label of the evidence to look at; all when left out")),
    ];
    arguments.extend(sink::arguments());
    spec::tool(
        "usn_journal",
        "Gives what the change journals of NTFS volumes ($UsnJrnl:$J) tell: which file was made (usn_created), deleted (usn_deleted), renamed (usn_renamed), changed (usn_changed) and closed (usn_closed), when, and what each journal holds altogether (usn_summary, the last record). \
         \"record\" gives one of these types only. A journal goes back some days or weeks; an empty and complete answer means that none is in this part of the evidence, or that those there hold nothing of the kind.",
        arguments,
        &[],
        record_types(),
    )
}

fn record_types() -> Vec<RecordType> {
    let mut types = all();
    types.push(history());
    sink::with_counts(types)
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let wanted = wanted(call)?;
    let scope = place::under(call.trees, arguments.optional_text("evidence"), arguments.text("under")?)?;
    let mut sink = Sink::new(arguments, record_types())?;
    let decoders: Vec<_> = named(DECODER).into_iter().collect();
    let mut returned = Return::found(Vec::new(), arguments.normalised(&scope.normalised()));
    let found = source_files::find(&scope, call.indexes, &decoders)?;
    for file in &found.files {
        sink.begin(format!("{} of {} ({DECODER})", file.node.path, file.tree.label()));
        if wanted.per_name
            && let Some(flow) = file.replay(call, Origin::Names, None, &mut sink)?
        {
            if flow.is_break() {
                break;
            }
            continue;
        }
        let stream = file.stream.as_deref();
        let mut source = Source::new(file.tree, &file.node, stream, call.scratch, &mut sink);
        match read_wanted(&mut source, &wanted) {
            Ok(flow) if flow.is_break() => break,
            Ok(_) => {}
            Err(error) => {
                let path = file.node.path.as_str().to_owned();
                sink.gap(Gap { path, reason: chain(&error) });
            }
        }
    }
    found.met(&mut sink);
    sink.fill(&mut returned);
    Ok(returned)
}

fn wanted(call: &Call<'_>) -> Result<Wanted, CallError> {
    let arguments = call.arguments;
    let mut reasons = 0;
    for name in arguments.optional_text("reason").into_iter().flat_map(|names| names.split(',')) {
        let name = name.trim().to_ascii_uppercase();
        let name = name.strip_prefix("USN_REASON_").unwrap_or(&name);
        if name.is_empty() {
            continue;
        }
        reasons |= artifacts::usn::reason(name).ok_or_else(|| CallError::ArgumentChoice {
            argument: "reason".to_owned(),
            allowed: artifacts::usn::reasons(artifacts::usn::ALL_REASONS),
            found: name.to_owned(),
        })?;
    }
    let wanted = Wanted {
        reasons,
        entry: arguments.optional_number("entry"),
        per_name: arguments.optional_text("per").is_some(),
    };
    if wanted.per_name && (wanted.reasons != 0 || wanted.entry.is_some()) {
        let expected = "left out beside \"reason\" and \"entry\": a history is that of a whole journal";
        return Err(CallError::Argument { argument: "per", expected, found: "name".to_owned() });
    }
    Ok(wanted)
}
