//! The worker's entry point: request bytes in, reply bytes out.

use crate::borrowed;
use crate::catalogue::{Indexes, Prepared, run_prepared};
use crate::mounted::open;
use crate::name_index::{self, BuildError};
use crate::raw_spans::{self, encode_spans_reply};
use crate::returned::{Return, chain};
use crate::sequences::{self, SequencesReply};
use crate::tables::{self, LeftOut, TABLES_FILE, TableError, TableGroup};
use crate::wire::{
    AnswerReply, HashReply, IndexReply, Mount, Request, SourcesReply, TablesReply, decode_request,
    encode_answer_reply, encode_hash_reply, encode_index_reply, encode_return, encode_sequences_reply,
    encode_sources_reply, encode_tables_reply,
};
use evidence::OpenError;
use ledger::{EvidenceKind, IntegrityLevel};
use std::fs::File;
use std::path::Path;

/// The reply of a worker: the content of a file, if there is one, followed by further bytes.
#[derive(Debug)]
pub struct Answered {
    /// The file, in the call's scratch folder.
    pub file: Option<File>,
    /// The bytes after the file.
    pub bytes: Vec<u8>,
}

/// Answers one request; an unreadable request is answered as a failed call.
///
/// `scratch` is an empty folder that the call may use.
pub fn handle(request: &[u8], scratch: &Path) -> Answered {
    let bytes = match decode_request(request) {
        Ok(Request::Call { tool, arguments, evidence, indexes, tables }) => {
            let trees: Result<Vec<_>, OpenError> =
                evidence.iter().map(|mount| open(mount, &indexes)).collect();
            let in_place =
                evidence.iter().map(|mount| (mount.label.clone(), mount.in_place.clone())).collect();
            let prepared = Prepared { names: indexes, tables, in_place };
            encode_return(&match trees {
                Ok(trees) => run_prepared(&tool, &arguments, &trees, &prepared, scratch),
                Err(error) => Return::failed(&error),
            })
        }
        Ok(Request::Hash { mount, level }) => encode_hash_reply(&hash(&mount, level)),
        Ok(Request::BuildIndex { mount }) => encode_index_reply(&index(&mount)),
        Ok(Request::BuildTables { mount, indexes, group, without }) => {
            return build_tables(&mount, &indexes, &group, &without, scratch);
        }
        Ok(Request::DigestSources { mount, indexes, group }) => {
            encode_sources_reply(&digest_sources(&mount, &indexes, &group))
        }
        Ok(Request::GroupsOf { sql }) => {
            encode_answer_reply(&answered(tables::groups_of_statement(&sql).map(|groups| {
                AnswerReply::Groups {
                    groups: groups.into_iter().map(|group| group.name().to_owned()).collect(),
                }
            })))
        }
        Ok(Request::AskTables(asked)) => {
            encode_answer_reply(&answered(tables::ask(&asked).map(AnswerReply::Answered)))
        }
        Ok(Request::CheckRules { rules }) => {
            encode_answer_reply(&AnswerReply::Checked(Box::new(borrowed::check(&rules))))
        }
        Ok(Request::MatchRules(asked)) => encode_answer_reply(&answered(
            borrowed::matched(&asked).map(|matched| AnswerReply::Matched(Box::new(matched))),
        )),
        Ok(Request::HashTables { files }) => {
            encode_answer_reply(&answered(tables::hash_tables(&files).map(AnswerReply::Answered)))
        }
        Ok(Request::ReadRow(asked)) => encode_answer_reply(&answered(
            tables::read_row(&asked).map(|record| AnswerReply::Read(Box::new(record))),
        )),
        Ok(Request::Sequences { evidence }) => {
            let none = Indexes::new();
            let trees: Result<Vec<_>, OpenError> = evidence.iter().map(|mount| open(mount, &none)).collect();
            encode_sequences_reply(&match trees {
                Ok(trees) => sequences::look(&trees, scratch),
                Err(error) => SequencesReply::Failed { reason: chain(&error) },
            })
        }
        Ok(Request::ReadSpans { evidence, spans }) => encode_spans_reply(&raw_spans::read(&evidence, &spans)),
        Err(error) => encode_return(&Return::failed(&error)),
    };
    Answered { file: None, bytes }
}

fn hash(mount: &Mount, level: IntegrityLevel) -> HashReply {
    // A run has already opened its archives, at the level that reads no content, so hashing need not look into them.
    if mount.kind == EvidenceKind::Archive && level != IntegrityLevel::Stat {
        return match evidence::hash_archive(&mount.path, &mount.label, level) {
            Ok(integrity) => HashReply::Hashed { integrity, gaps: Vec::new() },
            Err(error) => HashReply::Failed { reason: chain(&error) },
        };
    }
    let tree = match open(mount, &Indexes::new()) {
        Ok(tree) => tree,
        Err(error) => return HashReply::Failed { reason: chain(&error) },
    };
    match evidence::hash(tree.as_ref(), level) {
        Ok((integrity, gaps)) => HashReply::Hashed { integrity, gaps },
        Err(error) => HashReply::Failed { reason: chain(&error) },
    }
}

fn index(mount: &Mount) -> IndexReply {
    let built = open(mount, &Indexes::new())
        .map_err(BuildError::Open)
        .and_then(|tree| name_index::build(tree.as_ref()));
    match built {
        Ok(built) => IndexReply::Built(built),
        Err(BuildError::Open(error)) => IndexReply::Unopened { reason: chain(&error) },
        Err(error) => IndexReply::Failed { reason: chain(&error) },
    }
}

fn build_tables(
    mount: &Mount,
    names: &Indexes,
    group: &str,
    without: &[LeftOut],
    scratch: &Path,
) -> Answered {
    let built = open(mount, names).map_err(TableError::Open).and_then(|tree| {
        let built = tables::build(tree.as_ref(), names, named_group(group)?, without, scratch)?;
        let file = File::open(scratch.join(TABLES_FILE)).map_err(TableError::Finished)?;
        Ok((built, file))
    });
    let (reply, file) = match built {
        Ok((built, file)) => (TablesReply::Built(built), Some(file)),
        Err(error) => (TablesReply::Failed { reason: chain(&error) }, None),
    };
    Answered { file, bytes: encode_tables_reply(&reply) }
}

/// Returns a digest of everything that determines the tables of a group.
fn digest_sources(mount: &Mount, names: &Indexes, group: &str) -> SourcesReply {
    let digest = open(mount, names)
        .map_err(TableError::Open)
        .and_then(|tree| tables::digest_sources(tree.as_ref(), names, named_group(group)?));
    match digest {
        Ok(digest) => SourcesReply::Digested { digest },
        Err(error) => SourcesReply::Failed { reason: chain(&error) },
    }
}

fn named_group(name: &str) -> Result<TableGroup, TableError> {
    TableGroup::named(name).ok_or_else(|| TableError::Group { name: name.to_owned() })
}

fn answered(reply: Result<AnswerReply, TableError>) -> AnswerReply {
    match reply {
        Ok(reply) => reply,
        Err(error) if error.is_of_the_question() => AnswerReply::Refused { reason: chain(&error) },
        Err(error) => AnswerReply::Failed { reason: chain(&error) },
    }
}
