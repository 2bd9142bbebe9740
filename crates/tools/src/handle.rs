//! What a worker runs: request bytes in, reply bytes out.

use crate::catalogue::run_indexed;
use crate::name_index::{self, BuildError};
use crate::returned::{Return, chain};
use crate::wire::{
    HashReply, IndexReply, Mount, Request, decode_request, encode_hash_reply, encode_index_reply,
    encode_return,
};
use evidence::{OpenError, Tree};
use ledger::IntegrityLevel;
use std::path::Path;

/// Answers one request; a request that cannot be read is answered as a failed call.
///
/// `scratch` is an empty folder that the call may fill.
pub fn handle(request: &[u8], scratch: &Path) -> Vec<u8> {
    match decode_request(request) {
        Ok(Request::Call { tool, arguments, evidence, indexes }) => {
            let trees: Result<Vec<_>, OpenError> = evidence.iter().map(open).collect();
            encode_return(&match trees {
                Ok(trees) => run_indexed(&tool, &arguments, &trees, &indexes, scratch),
                Err(error) => Return::failed(&error),
            })
        }
        Ok(Request::Hash { mount, level }) => encode_hash_reply(&hash(&mount, level)),
        Ok(Request::BuildIndex { mount }) => encode_index_reply(&index(&mount)),
        Err(error) => encode_return(&Return::failed(&error)),
    }
}

fn open(mount: &Mount) -> Result<Box<dyn Tree>, OpenError> {
    evidence::open(mount.kind, &mount.path, &mount.label)
}

fn hash(mount: &Mount, level: IntegrityLevel) -> HashReply {
    let tree = match open(mount) {
        Ok(tree) => tree,
        Err(error) => return HashReply::Failed { reason: chain(&error) },
    };
    match evidence::hash(tree.as_ref(), level) {
        Ok((integrity, gaps)) => HashReply::Hashed { integrity, gaps },
        Err(error) => HashReply::Failed { reason: chain(&error) },
    }
}

fn index(mount: &Mount) -> IndexReply {
    let built = open(mount).map_err(BuildError::Open).and_then(|tree| name_index::build(tree.as_ref()));
    match built {
        Ok(built) => IndexReply::Built(built),
        Err(error) => IndexReply::Failed { reason: chain(&error) },
    }
}
