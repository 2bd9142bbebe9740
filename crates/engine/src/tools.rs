//! The engine's own tools: they read and write the record of the run, never the evidence.

mod graph;
mod lead;
mod record;

pub use lead::dispatch_tools;

use ledger::{ToolClass, ToolSpec, Vocabulary};
use serde_json::{Map, Value, json};

/// The tool with which a lead leaves questions of the case open.
pub(crate) const DECLINE: &str = "decline_questions";

/// A tool of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnTool {
    /// Asks to record readings as one phenomenon.
    RecordPhenomenon,
    /// Asks to record an absence.
    RecordAbsence,
    /// Asks to record what facts say together.
    RecordDerivation,
    /// Asks to add statements to the story.
    Tell,
    /// Asks to record sentences of the narrative, in runs before [`ledger::Behaviour::Tells`].
    RecordNarrative,
    /// Says that there is nothing to record.
    NothingToRecord,
    /// Gives a lead's reason for leaving questions of the case open.
    DeclineQuestions,
    /// Shows a page of one of the caller's own outputs.
    ReadOutput,
    /// Searches the caller's own outputs for a text.
    Recall,
    /// Describes a tool or record type completely.
    Help,
    /// Extends the graph.
    Write(WriteTool),
    /// Reads the graph.
    Read(ReadTool),
    /// Stores text for others, or reads it.
    Artifact(ArtifactTool),
}

/// A tool for stored text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArtifactTool {
    /// Stores a result.
    Store,
    /// Saves a part of the work.
    Checkpoint,
    /// Reads what was stored.
    Retrieve,
}

/// A tool that extends the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteTool {
    /// Adds a thing that facts name.
    AddEntity,
    /// Relates two nodes.
    Link,
    /// Proposes a hypothesis.
    ProposeHypothesis,
    /// Assesses a hypothesis.
    AssessHypothesis,
}

/// A tool that reads the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadTool {
    /// Lists phenomena.
    ListPhenomena,
    /// Shows a node and the nodes behind it.
    GetNode,
    /// Shows how things that facts name are connected.
    Connections,
    /// Searches titles and words.
    SearchGraph,
    /// Lists invocations.
    ListInvocations,
}

impl OwnTool {
    const ALL: [OwnTool; 21] = [
        OwnTool::Write(WriteTool::AddEntity),
        OwnTool::Write(WriteTool::AssessHypothesis),
        OwnTool::Artifact(ArtifactTool::Checkpoint),
        OwnTool::Read(ReadTool::Connections),
        OwnTool::DeclineQuestions,
        OwnTool::Read(ReadTool::GetNode),
        OwnTool::Help,
        OwnTool::Write(WriteTool::Link),
        OwnTool::Read(ReadTool::ListInvocations),
        OwnTool::Read(ReadTool::ListPhenomena),
        OwnTool::NothingToRecord,
        OwnTool::Write(WriteTool::ProposeHypothesis),
        OwnTool::ReadOutput,
        OwnTool::Recall,
        OwnTool::RecordAbsence,
        OwnTool::RecordDerivation,
        OwnTool::RecordPhenomenon,
        OwnTool::Artifact(ArtifactTool::Retrieve),
        OwnTool::Read(ReadTool::SearchGraph),
        OwnTool::Artifact(ArtifactTool::Store),
        OwnTool::Tell,
    ];

    /// The tools that only runs of earlier versions offer.
    const RETIRED: [OwnTool; 1] = [OwnTool::RecordNarrative];

    /// Returns the tool with this name.
    pub(crate) fn of_name(name: &str) -> Option<OwnTool> {
        OwnTool::ALL.into_iter().chain(OwnTool::RETIRED).find(|tool| tool.name() == name)
    }

    const fn name(self) -> &'static str {
        match self {
            OwnTool::RecordPhenomenon => "record_phenomenon",
            OwnTool::RecordAbsence => "record_absence",
            OwnTool::RecordDerivation => "record_derivation",
            OwnTool::Tell => "tell",
            OwnTool::RecordNarrative => "record_narrative",
            OwnTool::NothingToRecord => "nothing_to_record",
            OwnTool::DeclineQuestions => DECLINE,
            OwnTool::ReadOutput => "read_output",
            OwnTool::Recall => "recall",
            OwnTool::Help => "help",
            OwnTool::Write(WriteTool::AddEntity) => "add_entity",
            OwnTool::Write(WriteTool::Link) => "link",
            OwnTool::Write(WriteTool::ProposeHypothesis) => "propose_hypothesis",
            OwnTool::Write(WriteTool::AssessHypothesis) => "assess_hypothesis",
            OwnTool::Read(ReadTool::ListPhenomena) => "list_phenomena",
            OwnTool::Read(ReadTool::GetNode) => "get_node",
            OwnTool::Read(ReadTool::Connections) => "connections",
            OwnTool::Read(ReadTool::SearchGraph) => "search_graph",
            OwnTool::Read(ReadTool::ListInvocations) => "list_invocations",
            OwnTool::Artifact(ArtifactTool::Store) => "store_result",
            OwnTool::Artifact(ArtifactTool::Checkpoint) => "checkpoint",
            OwnTool::Artifact(ArtifactTool::Retrieve) => "retrieve_result",
        }
    }

    const fn class(self) -> ToolClass {
        match self {
            OwnTool::RecordPhenomenon
            | OwnTool::RecordAbsence
            | OwnTool::RecordDerivation
            | OwnTool::Tell
            | OwnTool::RecordNarrative
            | OwnTool::NothingToRecord => ToolClass::Record,
            OwnTool::DeclineQuestions => ToolClass::Dispatch,
            OwnTool::ReadOutput | OwnTool::Recall | OwnTool::Help | OwnTool::Read(_) => ToolClass::GraphRead,
            OwnTool::Write(_) => ToolClass::GraphWrite,
            OwnTool::Artifact(_) => ToolClass::Artifact,
        }
    }
}

/// Returns the specifications of the engine's tools, sorted by name.
pub fn catalogue(vocabulary: &Vocabulary) -> Vec<ToolSpec> {
    OwnTool::ALL.into_iter().map(|tool| spec(tool, vocabulary)).collect()
}

/// Returns the specifications of tools that runs of earlier versions offered.
pub fn retired(vocabulary: &Vocabulary) -> Vec<ToolSpec> {
    OwnTool::RETIRED.into_iter().map(|tool| spec(tool, vocabulary)).collect()
}

fn spec(tool: OwnTool, vocabulary: &Vocabulary) -> ToolSpec {
    let about = match tool {
        OwnTool::RecordPhenomenon => record::phenomenon(vocabulary),
        OwnTool::RecordAbsence => record::absence(),
        OwnTool::RecordDerivation => record::derivation(),
        OwnTool::Tell => record::tell(),
        OwnTool::RecordNarrative => record::narrative(),
        OwnTool::NothingToRecord => record::nothing(),
        OwnTool::DeclineQuestions => lead::decline(),
        OwnTool::ReadOutput => record::read_output(),
        OwnTool::Recall => graph::recall(),
        OwnTool::Help => graph::help(),
        OwnTool::Write(tool) => graph::write(tool),
        OwnTool::Read(tool) => graph::read(tool),
        OwnTool::Artifact(tool) => lead::artifact(tool),
    };
    ToolSpec {
        name: tool.name().to_owned(),
        class: tool.class(),
        description: about.description.to_owned(),
        arguments: about.arguments,
        records: Vec::new(),
        sources: Default::default(),
        counts: None,
        covers: Vec::new(),
    }
}

/// The purpose of a tool, and the schema of its arguments.
struct About {
    description: &'static str,
    arguments: Value,
}

/// Makes a tool with these members; the first `required` of them must be given.
fn about(description: &'static str, members: &[(&str, Value)], required: usize) -> About {
    let names: Vec<_> = members.iter().take(required).map(|(name, _)| *name).collect();
    let properties: Map<String, Value> =
        members.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    let arguments = json!({
        "type": "object",
        "additionalProperties": false,
        "required": names,
        "properties": properties,
    });
    About { description, arguments }
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_is_sorted_and_every_tool_of_it_is_known_by_its_name() {
        let catalogue = catalogue(&Vocabulary::shipped().unwrap());
        assert!(catalogue.is_sorted_by(|a, b| a.name < b.name));
        for spec in catalogue {
            let tool = OwnTool::of_name(&spec.name).unwrap();
            assert_eq!(tool.class(), spec.class);
        }
    }
}
