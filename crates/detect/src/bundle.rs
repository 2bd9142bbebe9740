//! Reads version, tactics and names from a MITRE bundle.
//!
//! Sources: STIX 2.1 (OASIS, §3 and §8), and the description of ATT&CK's own members in MITRE's `attack-stix-data` (USAGE.md):
//! `x-mitre-matrix`, `x-mitre-tactic`, `attack-pattern`, `revoked-by`.

use crate::error::AttackError;
use crate::{Attack, Tactic, TacticId, Technique, TechniqueId};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The source name of ids and the kill chain name of phases in MITRE's objects.
const MITRE: &str = "mitre-attack";

/// The id of the matrix for company computers and networks.
const MATRIX: &str = "enterprise-attack";

/// How many times in a row a technique may have been revoked in favour of another: the relations in a bundle may form a circle.
const REVOKED: usize = 8;

/// A technique of the rules that the bundle no longer has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retired {
    /// Its id.
    pub id: TechniqueId,
    /// Its name, in the data that the bundle replaced.
    pub name: String,
    /// What the bundle says about it.
    pub because: RetiredBecause,
}

/// What a bundle says about a technique that it no longer has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetiredBecause {
    /// It was revoked in favour of this one, which replaces it.
    RevokedBy(TechniqueId),
    /// It was revoked, and the bundle names no replacement.
    Revoked,
    /// It is deprecated: nothing replaces it.
    Deprecated,
    /// The bundle does not contain it.
    Absent,
}

#[derive(Deserialize)]
struct Bundle {
    objects: Vec<Object>,
}

#[derive(Deserialize)]
struct Object {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    id: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    revoked: bool,
    #[serde(default)]
    x_mitre_deprecated: bool,
    #[serde(default)]
    x_mitre_version: Option<String>,
    #[serde(default)]
    x_mitre_shortname: Option<String>,
    #[serde(default)]
    external_references: Vec<ExternalReference>,
    #[serde(default)]
    kill_chain_phases: Vec<Phase>,
    #[serde(default)]
    tactic_refs: Vec<String>,
    #[serde(default)]
    relationship_type: String,
    #[serde(default)]
    source_ref: String,
    #[serde(default)]
    target_ref: String,
}

#[derive(Deserialize)]
struct ExternalReference {
    #[serde(default)]
    source_name: String,
    #[serde(default)]
    external_id: Option<String>,
}

#[derive(Deserialize)]
struct Phase {
    kill_chain_name: String,
    phase_name: String,
}

/// Returns `old` with the version, tactics and names of the bundle.
pub(crate) fn renewed(old: Attack, stix_bundle: &str) -> Result<Attack, AttackError> {
    let bundle: Bundle = serde_json::from_str(stix_bundle).map_err(AttackError::ReadBundle)?;
    let Attack { techniques: known, mut rules, by_record, ordinary, windows, mentions, .. } = old;
    let tactics = bundle.tactics()?;
    let patterns = bundle.patterns();
    let mut techniques = BTreeMap::new();
    let mut retired = Vec::new();
    let mut successors: BTreeMap<TechniqueId, Option<TechniqueId>> = BTreeMap::new();
    for (id, technique) in known {
        let (now, because) = bundle.standing(&id, &patterns);
        if let Some(now) = &now
            && let Some(object) = patterns.get(now.as_str())
        {
            techniques.insert(now.clone(), object.technique(now.clone(), &tactics)?);
        }
        successors.insert(id.clone(), now);
        if let Some(because) = because {
            retired.push(Retired { id, name: technique.name, because });
        }
    }
    for rule in &mut rules {
        rule.techniques = rule.techniques.iter().filter_map(|id| successors.get(id)?.clone()).collect();
    }
    let version = bundle.version()?;
    let source = "a STIX bundle that was given".to_owned();
    Ok(Attack {
        version,
        source,
        tactics,
        techniques,
        rules,
        by_record,
        ordinary,
        windows,
        mentions,
        retired,
    })
}

impl Bundle {
    fn of_kind<'b>(&'b self, kind: &'b str) -> impl Iterator<Item = &'b Object> {
        self.objects.iter().filter(move |object| object.kind == kind)
    }

    fn version(&self) -> Result<String, AttackError> {
        let mut versions = self.of_kind("x-mitre-collection").filter_map(|it| it.x_mitre_version.clone());
        versions.next().ok_or(AttackError::BundleLacks { lacks: "version (x-mitre-collection)" })
    }

    /// Returns the tactics in the order of the matrix.
    fn tactics(&self) -> Result<Vec<Tactic>, AttackError> {
        let mut matrices = self.of_kind("x-mitre-matrix").filter(|matrix| matrix.is_current());
        let matrix = matrices.find(|matrix| matrix.external_id() == Some(MATRIX));
        let matrix = matrix.ok_or(AttackError::BundleLacks { lacks: "matrix enterprise-attack" })?;
        let known: BTreeMap<&str, &Object> =
            self.of_kind("x-mitre-tactic").map(|tactic| (tactic.id.as_str(), tactic)).collect();
        let tactic = |named: &String| known.get(named.as_str()).and_then(|tactic| tactic.tactic());
        let tactics: Option<Vec<_>> = matrix.tactic_refs.iter().map(tactic).collect();
        tactics.ok_or(AttackError::BundleLacks { lacks: "tactic that its matrix names" })
    }

    /// Returns the techniques by id; if several have had one id, the current one.
    fn patterns(&self) -> BTreeMap<&str, &Object> {
        let mut patterns: BTreeMap<&str, &Object> = BTreeMap::new();
        for object in self.of_kind("attack-pattern") {
            let Some(id) = object.external_id() else { continue };
            let taken = patterns.get(id).is_some_and(|other| other.is_current());
            if !taken {
                patterns.insert(id, object);
            }
        }
        patterns
    }

    /// Returns the id that replaces a technique now, and why that is not the technique itself.
    fn standing(
        &self,
        id: &TechniqueId,
        patterns: &BTreeMap<&str, &Object>,
    ) -> (Option<TechniqueId>, Option<RetiredBecause>) {
        let Some(object) = patterns.get(id.as_str()) else {
            return (None, Some(RetiredBecause::Absent));
        };
        if object.is_current() {
            return (Some(id.clone()), None);
        }
        if !object.revoked {
            return (None, Some(RetiredBecause::Deprecated));
        }
        match self.successor(object) {
            Some(now) => (Some(now.clone()), Some(RetiredBecause::RevokedBy(now))),
            None => (None, Some(RetiredBecause::Revoked)),
        }
    }

    /// Returns the current technique in favour of which a revoked one was revoked, directly or in several steps.
    fn successor(&self, revoked: &Object) -> Option<TechniqueId> {
        let mut at = revoked;
        for _ in 0..REVOKED {
            let relation = self.of_kind("relationship").find(|relation| {
                relation.relationship_type == "revoked-by" && relation.source_ref == at.id
            })?;
            at = self.of_kind("attack-pattern").find(|pattern| pattern.id == relation.target_ref)?;
            if at.is_current() {
                return at.external_id().and_then(|id| TechniqueId::new(id).ok());
            }
        }
        None
    }
}

impl Object {
    fn is_current(&self) -> bool {
        !self.revoked && !self.x_mitre_deprecated
    }

    fn external_id(&self) -> Option<&str> {
        let mut named = self.external_references.iter().filter(|reference| reference.source_name == MITRE);
        named.find_map(|reference| reference.external_id.as_deref())
    }

    fn tactic(&self) -> Option<Tactic> {
        let id = TacticId::new(self.external_id()?).ok()?;
        Some(Tactic { id, name: self.name.clone(), shortname: self.x_mitre_shortname.clone()? })
    }

    fn technique(&self, id: TechniqueId, tactics: &[Tactic]) -> Result<Technique, AttackError> {
        let phases = self.kill_chain_phases.iter().filter(|phase| phase.kill_chain_name == MITRE);
        let named: Vec<&str> = phases.map(|phase| phase.phase_name.as_str()).collect();
        let unknown = |named: &&&str| !tactics.iter().any(|tactic| tactic.shortname == **named);
        if let Some(tactic) = named.iter().find(unknown) {
            let tactic = (*tactic).to_owned();
            return Err(AttackError::UnknownTactic { technique: id, tactic });
        }
        let serving = tactics.iter().filter(|tactic| named.contains(&tactic.shortname.as_str()));
        let tactics = serving.map(|tactic| tactic.id.clone()).collect();
        Ok(Technique { id, name: self.name.clone(), tactics })
    }
}
