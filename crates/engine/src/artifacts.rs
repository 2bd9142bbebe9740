//! ARTIFACT calls: text that an agent stores for others and reads again.
//!
//! The text is in the log once the call is answered, so it survives any end of the task.

use crate::arguments::{Arguments, Malformed};
use crate::ordinals::Kind;
use crate::shelf::bounded;
use crate::step::{Append, StepError};
use crate::task::{Task, event};
use crate::tools::ArtifactTool;
use ledger::event::{ArtifactRetrieved, ArtifactStored, Refusal};
use ledger::turn::{Answer, ToolCall};
use ledger::{Artifact, ArtifactId, ArtifactKind, Event};

/// The most characters of one artifact.
pub(crate) const LONGEST_ARTIFACT: usize = 50_000;
/// The most artifacts of a task.
const MOST_ARTIFACTS: usize = 200;

impl Task {
    /// Answers a call that stores or reads text.
    pub(crate) fn artifact(
        &mut self,
        tool: ArtifactTool,
        call: ToolCall,
        append: &mut Vec<Append>,
    ) -> Result<(), StepError> {
        let read = match tool {
            ArtifactTool::Store => stored(&call, "summary").map(|said| (ArtifactKind::Result, said)),
            ArtifactTool::Checkpoint => stored(&call, "label").map(|said| (ArtifactKind::Checkpoint, said)),
            ArtifactTool::Retrieve => {
                self.retrieve(call, append);
                return Ok(());
            }
        };
        match read {
            Err(malformed) => self.refuse(call, Refusal::BadArguments, malformed.to_string(), append),
            Ok(_) if self.artifacts.len() >= MOST_ARTIFACTS => {
                let told = format!("a task stores {MOST_ARTIFACTS} artifacts at most");
                self.refuse(call, Refusal::BadArguments, told, append);
            }
            Ok((kind, (summary, content))) => self.store(call, kind, summary, content, append)?,
        }
        Ok(())
    }

    fn store(
        &mut self,
        call: ToolCall,
        kind: ArtifactKind,
        summary: String,
        content: String,
        append: &mut Vec<Append>,
    ) -> Result<(), StepError> {
        self.turn_record.fruitful = true;
        let artifact = self.artifact_id(&call)?;
        let content_for_log = content.clone();
        self.artifacts.push(Artifact { artifact, kind, summary: summary.clone(), content: content.into() });
        append.push(event(Event::ArtifactStored(ArtifactStored {
            turn: self.turn,
            call: call.call.clone(),
            artifact,
            kind,
            summary,
            content: content_for_log,
        })));
        self.answer(call, Answer::Stored { artifact });
        Ok(())
    }

    pub(crate) fn artifact_id(&mut self, call: &ToolCall) -> Result<ArtifactId, StepError> {
        let ordinal = self.ordinals.take(Kind::Artifact, self.turn, &call.call);
        Ok(ArtifactId::assign(&self.setting.ids, self.id(), ordinal)?)
    }

    fn retrieve(&mut self, call: ToolCall, append: &mut Vec<Append>) {
        let id = call.arguments.get("artifact").and_then(|id| id.as_str()).unwrap_or_default().trim();
        let Some(artifact) = self.known_artifact(id).cloned() else {
            let known: Vec<String> =
                self.known_artifacts().map(|known| known.artifact.to_string()).take(20).collect();
            let told = match known.is_empty() {
                true => format!("artifact: {:?} is not one, and none is stored yet", bounded(id)),
                false => format!("artifact: {:?} is not one of {}", bounded(id), known.join(", ")),
            };
            return self.refuse(call, Refusal::BadArguments, told, append);
        };
        self.turn_record.fruitful = true;
        append.push(event(Event::ArtifactRetrieved(ArtifactRetrieved {
            turn: self.turn,
            call: call.call.clone(),
            artifact: artifact.artifact,
        })));
        let (head, content) = (artifact.head(), artifact.content.to_string());
        self.answer(call, Answer::Artifact { head, content });
    }

    /// Returns its own artifacts and those that were handed over to it.
    pub(crate) fn known_artifacts(&self) -> impl Iterator<Item = &Artifact> {
        self.artifacts.iter().chain(self.handed.iter().flat_map(|handed| &handed.artifacts))
    }

    /// Returns the artifact with this id.
    pub(crate) fn known_artifact(&self, id: &str) -> Option<&Artifact> {
        let id: ArtifactId = id.parse().ok()?;
        self.known_artifacts().find(|known| known.artifact == id)
    }
}

/// Reads the summary and the content of a call that stores.
fn stored(call: &ToolCall, summary: &str) -> Result<(String, String), Malformed> {
    let arguments = Arguments::of(&call.arguments, &[summary, "content"])?;
    let line = arguments.text(summary)?.split_whitespace().collect::<Vec<_>>().join(" ");
    let content = arguments.optional_text("content")?.unwrap_or_default();
    let fits = !content.trim().is_empty() && content.chars().count() <= LONGEST_ARTIFACT;
    match fits {
        true => Ok((bounded(&line), content.to_owned())),
        false => Err(Malformed::new("content", "a text of 1 to 50,000 characters")),
    }
}
