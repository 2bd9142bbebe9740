//! An attestation of a sealed run (in-toto Statement v1) and its envelope (DSSE v1).
//!
//! This module does not know who signs: [`pre_authentication`] returns the bytes to sign, and [`envelope`] adds the signature.
//! There is no unsigned envelope: DSSE requires at least one signature.

use crate::ids::BASE;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use graph::{Judged, Run};
use ledger::Digest;
use ledger::commitment::SCHEME;
use serde_json::{Value, json};

/// The type of a statement: in-toto attestation framework, Statement v1.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";

/// The type of an envelope's payload: in-toto attestation framework, Envelope v1.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// The type of our predicate. It is only a name, not a location; `docs/exchange.md` describes the contents.
pub const PREDICATE_TYPE: &str = "https://locard.invalid/attestation/sealed-run/v1";

/// The data of a sealed run that is not in its events.
#[derive(Debug, Clone)]
pub struct Sealed {
    /// The last link of its chain.
    pub head: Digest,
    /// The digest of its manifest file.
    pub manifest: Digest,
    /// The number of its events.
    pub events: u64,
    /// The number of its stored outputs and replies.
    pub payloads: u64,
}

/// A further file that the statement is about, such as a report or an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Its name, without folders.
    pub name: String,
    /// The digest of its bytes.
    pub sha256: Digest,
}

/// Returns the statement as the bytes to sign and embed.
///
/// # Errors
///
/// Fails if the statement cannot be converted to JSON, which would be a bug.
pub fn statement(run: &Run, sealed: &Sealed, files: &[Subject]) -> serde_json::Result<Vec<u8>> {
    debug_assert!(PREDICATE_TYPE.starts_with(BASE));
    let name = run.name();
    let mut subjects = vec![
        json!({"name": format!("{name}/manifest.json"), "digest": {"sha256": sealed.manifest}}),
        // This is not a digest of a file's bytes, as its name shows.
        json!({"name": name, "digest": {"locardHead": sealed.head}}),
    ];
    subjects.extend(files.iter().map(|file| json!({"name": file.name, "digest": {"sha256": file.sha256}})));
    serde_json::to_vec(&json!({
        "_type": STATEMENT_TYPE,
        "subject": subjects,
        "predicateType": PREDICATE_TYPE,
        "predicate": predicate(run, sealed),
    }))
}

fn predicate(run: &Run, sealed: &Sealed) -> Value {
    let refused = run.tasks.values().flat_map(|view| &view.claims);
    let refused = refused.filter(|claim| matches!(claim.judged, Some(Judged::Rejected(_)))).count();
    json!({
        "run": run.name(),
        "openedAt": run.circumstance.at,
        "program": run.opened.program,
        "format": run.opened.format.to_string(),
        "confined": run.opened.confined,
        "case": {"name": run.opened.case.name, "title": run.opened.case.title},
        "evidence": evidence(run),
        "head": sealed.head,
        "events": sealed.events,
        "payloads": sealed.payloads,
        "tasks": run.tasks.values().map(|view| json!({
            "agent": view.assigned.agent.name,
            "model": view.assigned.model,
            "status": view.ended.as_ref().map(|ended| ended.status),
        })).collect::<Vec<_>>(),
        "facts": run.facts().count(),
        "factsScheme": run.disclosure.as_ref().map(|_| SCHEME),
        "factsRoot": run.disclosure.as_ref().map(|it| it.root),
        "refusedClaims": refused,
    })
}

fn evidence(run: &Run) -> Vec<Value> {
    let of = |entry: &ledger::EvidenceEntry| {
        let hashed = run.integrity.iter().find(|hashed| hashed.evidence == entry.label);
        json!({
            "label": entry.label,
            "kind": entry.kind,
            "expectedSha256": entry.expected_sha256,
            "found": hashed.map(|hashed| json!({
                "level": hashed.integrity.level,
                "sha256": hashed.integrity.sha256,
                "files": hashed.integrity.files,
                "bytes": hashed.integrity.bytes,
                "asExpected": hashed.as_expected,
            })),
        })
    };
    run.opened.case.evidence.iter().map(of).collect()
}

/// Returns the bytes to sign: DSSE v1, PAE.
pub fn pre_authentication(payload: &[u8]) -> Vec<u8> {
    let mut bytes = format!("DSSEv1 {} {PAYLOAD_TYPE} {} ", PAYLOAD_TYPE.len(), payload.len()).into_bytes();
    bytes.extend_from_slice(payload);
    bytes
}

/// Returns the envelope of a payload with one signature over its [`pre_authentication`].
pub fn envelope(payload: &[u8], key: &str, signature: &[u8]) -> Value {
    json!({
        "payloadType": PAYLOAD_TYPE,
        "payload": STANDARD.encode(payload),
        "signatures": [{"keyid": key, "sig": STANDARD.encode(signature)}],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_signed_tells_type_and_length_from_content() {
        let bytes = pre_authentication(b"{}");
        assert_eq!(bytes, b"DSSEv1 28 application/vnd.in-toto+json 2 {}");
    }

    #[test]
    fn an_envelope_carries_the_payload_as_it_was_signed() {
        let envelope = envelope(b"{}", "k", &[0xff; 3]);
        assert_eq!(envelope["payload"], "e30=");
        assert_eq!(envelope["signatures"], json!([{"keyid": "k", "sig": "////"}]));
    }
}
