//! The digests of a medium, computed from its bytes and compared with those in the container.

use super::Container;
use super::acquisition::{HashAlgorithm, HashCheck, hex};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256};
use std::io;

/// Bytes read at once.
const PIECE: usize = 1 << 20;

/// Reads the whole medium once and computes its MD5, SHA-1 and SHA-256.
///
/// Every stored digest is compared; one that is stored twice gives two checks. The first unreadable byte ends it
/// with an error.
pub(crate) fn verify_medium(container: &Container) -> io::Result<Vec<HashCheck>> {
    let (mut md5, mut sha1, mut sha256) = (Md5::new(), Sha1::new(), Sha256::new());
    let mut buffer = vec![0; PIECE];
    let mut offset = 0;
    while offset < container.length() {
        let left = usize::try_from(container.length() - offset).unwrap_or(PIECE).min(PIECE);
        let piece = buffer.get_mut(..left).unwrap_or_default();
        container.read_exact_at(offset, piece)?;
        md5.update(&*piece);
        sha1.update(&*piece);
        sha256.update(&*piece);
        offset += left as u64;
    }
    let computed = [
        (HashAlgorithm::Md5, hex(&md5.finalize())),
        (HashAlgorithm::Sha1, hex(&sha1.finalize())),
        (HashAlgorithm::Sha256, hex(&sha256.finalize())),
    ];
    Ok(computed.into_iter().flat_map(|(algorithm, hex)| checks(container, algorithm, &hex)).collect())
}

fn checks(container: &Container, algorithm: HashAlgorithm, computed: &str) -> Vec<HashCheck> {
    let check = |stored: Option<String>| {
        let matches = stored.as_deref().map(|stored| stored == computed);
        HashCheck { algorithm, stored, computed: computed.to_owned(), matches }
    };
    let hashes = container.acquisition().hashes.iter();
    let stored: Vec<_> =
        hashes.filter(|hash| hash.algorithm == algorithm).map(|hash| hash.hex.clone()).collect();
    match stored.is_empty() {
        true => vec![check(None)],
        false => stored.into_iter().map(Some).map(check).collect(),
    }
}
