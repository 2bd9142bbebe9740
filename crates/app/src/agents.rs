//! Agents, read from data files: the part that every model is given, and the steps of the embedded playbook.

use ledger::{AgentSpec, Digest};
use llm::Playbook;
use llm::playbook::{LeadPlan, PlanError, Step};
use serde::Deserialize;
use std::collections::BTreeMap;
use thiserror::Error;

/// An agent and its playbook.
#[derive(Debug, Clone)]
pub struct Agent {
    /// The part that every model is given.
    pub spec: AgentSpec,
    /// The steps of the embedded playbook.
    pub steps: Vec<Step>,
    /// For a lead: the tasks that its playbook assigns and what it concludes from them.
    pub plan: Option<LeadPlan>,
    /// The digest of the file.
    pub digest: Digest,
}

/// Why a text is not an agent.
#[derive(Debug, Error)]
pub enum AgentError {
    /// The text is not a valid agent file; the source gives the line.
    #[error("read the agent file {name}")]
    Malformed {
        /// The file's name.
        name: String,
        /// Line, column and what was expected.
        #[source]
        source: Box<toml::de::Error>,
    },
    /// The file names an unknown list.
    #[error("read the agent file {name}: no list {list:?}")]
    UnknownList {
        /// The file's name.
        name: String,
        /// The list.
        list: String,
    },
    /// The file borrows an objective that does not exist.
    #[error("read the agent file {name}: no objective {objective:?} to borrow")]
    NothingToBorrow {
        /// The file's name.
        name: String,
        /// The missing objective, as `agent/objective`.
        objective: String,
    },
    /// The steps do not form a valid playbook.
    #[error("read the agent file {name}")]
    Plan {
        /// The file's name.
        name: String,
        /// Which step, and why.
        #[source]
        source: PlanError,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentFile {
    agent: AgentSpec,
    /// Objectives borrowed from other agents, as `agent/objective`.
    #[serde(default)]
    borrows: Vec<String>,
    #[serde(default)]
    step: Vec<Step>,
    #[serde(default)]
    plan: Option<LeadPlan>,
}

impl Agent {
    /// Returns the embedded playbook of the agent, which acts as its model.
    pub fn playbook(&self) -> Playbook {
        match &self.plan {
            Some(plan) => Playbook::leading(plan.clone(), self.digest),
            None => Playbook::new(self.steps.clone(), self.digest),
        }
    }
}

/// Lists of patterns that several agents share.
/// In an agent file, `"@name"` expands to the items of a list, `"@any:name"` to one text with `||` between the items, and `"@in:name"` to
/// `*item*` for each item, a pattern that matches anything containing it.
const LISTS: &str = include_str!("../agents/lists.toml");

const SHIPPED: [(&str, &str); 7] = [
    ("eventlog.toml", include_str!("../agents/eventlog.toml")),
    ("execution.toml", include_str!("../agents/execution.toml")),
    ("filesystem.toml", include_str!("../agents/filesystem.toml")),
    ("persistence.toml", include_str!("../agents/persistence.toml")),
    ("registry.toml", include_str!("../agents/registry.toml")),
    ("timeline.toml", include_str!("../agents/timeline.toml")),
    ("user-activity.toml", include_str!("../agents/user-activity.toml")),
];

/// Returns the agents that ship with this version.
pub fn shipped_agents() -> Result<Vec<Agent>, AgentError> {
    SHIPPED.iter().map(|(name, text)| parse(name, text)).collect()
}

/// Returns the lead that ships with this version; it assigns tasks to the agents.
pub fn shipped_lead() -> Result<Agent, AgentError> {
    parse("lead.toml", include_str!("../agents/lead.toml"))
}

/// Returns the agent that another program acts as by default: it has every tool except those that assign tasks.
pub fn shipped_examiner() -> Result<Agent, AgentError> {
    let name = "examiner.toml";
    let text = include_str!("../agents/examiner.toml");
    let (file, digest) = read(name, text)?;
    let (agents, mut spec) = (shipped_agents()?, file.agent);
    for borrowed in file.borrows {
        let known = borrowed.split_once('/').and_then(|(agent, id)| {
            let agent = agents.iter().find(|known| known.spec.name == agent)?;
            agent.spec.objectives.iter().find(|objective| objective.id == id)
        });
        let nothing = || AgentError::NothingToBorrow { name: name.to_owned(), objective: borrowed.clone() };
        spec.objectives.push(known.ok_or_else(nothing)?.clone());
    }
    Ok(Agent { spec, steps: file.step, plan: file.plan, digest })
}

/// Returns every agent that a run's log may name: the shipped agents, their lead, the examiner and the asker.
pub fn shipped_crew() -> Result<Vec<Agent>, AgentError> {
    let mut crew = shipped_agents()?;
    crew.push(shipped_lead()?);
    // A small model (`--profile small`) and an MCP client both work as the examiner.
    crew.push(shipped_examiner()?);
    crew.push(shipped_asker()?);
    Ok(crew)
}

/// Returns the agent that looks for the answer to one question in words (`locard ask --model`). It has no playbook: without a model, code answers.
pub fn shipped_asker() -> Result<Agent, AgentError> {
    parse("asker.toml", include_str!("../agents/asker.toml"))
}

fn parse(name: &str, text: &str) -> Result<Agent, AgentError> {
    let (file, digest) = read(name, text)?;
    Ok(Agent { spec: file.agent, steps: file.step, plan: file.plan, digest })
}

fn read(name: &str, text: &str) -> Result<(AgentFile, Digest), AgentError> {
    let malformed = |source| AgentError::Malformed { name: name.to_owned(), source: Box::new(source) };
    let text = &expand(name, text)?;
    let file: AgentFile = toml::from_str(text).map_err(malformed)?;
    llm::playbook::check(&file.step).map_err(|source| AgentError::Plan { name: name.to_owned(), source })?;
    Ok((file, Digest::of(text.as_bytes())))
}

/// Replaces the names of shared lists by their items; every line keeps its number.
fn expand(name: &str, text: &str) -> Result<String, AgentError> {
    let lists: BTreeMap<String, Vec<String>> = toml::from_str(LISTS).map_err(|source| {
        AgentError::Malformed { name: "lists.toml".to_owned(), source: Box::new(source) }
    })?;
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\"@") {
        let (asked, behind) = after.split_once('"').unwrap_or((after, ""));
        let (form, list) = asked.split_once(':').unwrap_or(("", asked));
        let unknown = || AgentError::UnknownList { name: name.to_owned(), list: asked.to_owned() };
        let items = lists.get(list).ok_or_else(unknown)?;
        let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let each = |make: fn(&String) -> String| {
            items.iter().map(|item| quoted(&make(item))).collect::<Vec<_>>().join(", ")
        };
        out.push_str(before);
        out.push_str(&match form {
            "" => each(String::clone),
            "any" => quoted(&items.join(" || ")),
            "in" => each(|item| format!("*{item}*")),
            _ => return Err(unknown()),
        });
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::{Objective, Predicate, RecordType, SearchedBy, Vocabulary, placement};

    #[test]
    fn every_shipped_agent_reads_and_has_objectives_and_steps() {
        for agent in shipped_agents().unwrap() {
            assert!(!agent.spec.objectives.is_empty() && !agent.steps.is_empty(), "{}", agent.spec.name);
        }
    }

    /// Objectives that apply only to images still name a source, wherever they are asked.
    #[test]
    fn every_objective_names_what_must_be_there_and_the_playbook_lists_it() {
        for agent in shipped_agents().unwrap() {
            for objective in agent.spec.objectives.iter().filter(|it| it.applies.is_none()) {
                let place = format!("{}/{}", agent.spec.name, objective.id);
                let mut kinds = objective.own_way().kinds().peekable();
                assert!(kinds.peek().is_some(), "{place}: no source");
                for (by, _) in kinds {
                    let is_asked_first = agent.steps.iter().any(|step| {
                        let arguments = serde_json::to_value(&step.arguments).unwrap();
                        step.for_each.is_none() && by.is(&step.tool, &arguments)
                    });
                    // Separate steps list the two kinds of profile folders; the recovery lists both at once.
                    assert!(is_asked_first || place == "filesystem/profiles", "{place}: {by:?}");
                }
            }
        }
    }

    #[test]
    fn files_count_as_sources_only_where_windows_keeps_them() {
        for agent in shipped_agents().unwrap() {
            for way in agent.spec.objectives.iter().flat_map(Objective::ways) {
                let Some(place) = placement::of(&way.condition.record) else { continue };
                let listings = way.kinds().filter(|(by, _)| by.tool == "find_files");
                // If a Windows folder exists, a file that is not in it is absent.
                let held = |by: &SearchedBy| {
                    by.arguments.get("place").is_some_and(|it| it == place || it == "windows")
                };
                for (by, _) in listings {
                    assert!(held(by), "{}: {} in {place}: {by:?}", agent.spec.name, way.condition.record);
                }
            }
        }
    }

    #[test]
    fn an_agent_is_offered_twenty_tools_at_most_and_every_one_that_its_playbook_calls() {
        let roster: Vec<_> = shipped_agents().unwrap().into_iter().map(|agent| agent.spec).collect();
        let known = crate::outside_tools(&roster).unwrap();
        let others = [shipped_examiner().unwrap(), shipped_lead().unwrap(), shipped_asker().unwrap()];
        for agent in shipped_agents().unwrap().into_iter().chain(others) {
            let has = |name: &str| {
                let spec = known.iter().find(|tool| tool.name == name);
                spec.is_some_and(|tool| agent.spec.surface.contains(&tool.class) && agent.spec.has(tool))
            };
            let (name, named) = (&agent.spec.name, agent.spec.tools.as_ref().unwrap());
            assert!(named.len() <= 20 && named.iter().all(|tool| has(tool)), "{name}");
            let searches =
                agent.spec.objectives.iter().flat_map(Objective::ways).flat_map(|way| way.searched);
            let searched = searches.map(|by| by.tool.as_str()).filter(|_| !agent.steps.is_empty());
            let called = agent.steps.iter().map(|step| step.tool.as_str()).chain(searched);
            for tool in called {
                assert!(has(tool), "{name}: {tool}");
            }
        }
    }

    #[test]
    fn the_examiner_has_objectives_of_other_agents_that_are_told_apart_by_their_names() {
        let examiner = shipped_examiner().unwrap().spec;
        let ids: std::collections::BTreeSet<_> =
            examiner.objectives.iter().map(|objective| &objective.id).collect();
        assert!(ids.len() > 10 && ids.len() == examiner.objectives.len());
    }

    #[test]
    fn the_lead_names_agents_and_objectives_that_there_are() {
        let (lead, agents) = (shipped_lead().unwrap(), shipped_agents().unwrap());
        let specs: Vec<_> = agents.iter().map(|agent| agent.spec.clone()).collect();
        let tools: Vec<String> = engine::dispatch_tools(&specs).into_iter().map(|tool| tool.name).collect();
        let plan = lead.plan.unwrap();
        let planned: Vec<&str> = plan.task.iter().map(|task| task.tool.as_str()).collect();
        assert!(tools.iter().all(|tool| planned.contains(&tool.as_str())), "{planned:?}");
        assert_eq!(planned.len(), tools.len());
        let known = |name: &String| {
            let (agent, id) = name.split_once('/').unwrap();
            let agent = specs.iter().find(|spec| spec.name == agent);
            agent.is_some_and(|spec| spec.objectives.iter().any(|objective| objective.id == id))
        };
        let weighed = plan
            .hypothesis
            .iter()
            .flat_map(|it| it.supporting.iter().chain(&it.contradicting).chain(&it.telling));
        let told = plan.story.iter().map(|planned| &planned.objective);
        for name in weighed.chain(told) {
            assert!(known(name), "{name}");
        }
    }

    /// The engine would silently drop a suggestion that no tool accepts.
    #[test]
    fn calls_that_recovery_suggests_are_taken_by_the_catalogue() {
        let catalogue = tools::catalogue();
        let is_fixed = |text: &&str| !text.contains('{');
        for strategy in engine::strategies(engine::Edition::Now) {
            for call in &strategy.calls {
                let tool = catalogue.iter().find(|tool| tool.name == call.tool);
                let tool = tool.unwrap_or_else(|| panic!("{}: no tool {}", strategy.id, call.tool));
                for argument in call.arguments.keys() {
                    assert!(
                        tool.arguments["properties"].get(argument).is_some(),
                        "{}: {argument}",
                        strategy.id
                    );
                }
                let text = |name: &str| {
                    call.arguments.get(name).and_then(serde_json::Value::as_str).filter(is_fixed)
                };
                let types: Vec<&str> = tool.records.iter().map(|kind| kind.name.as_str()).collect();
                assert!(
                    text("record").is_none_or(|record| types.contains(&record)),
                    "{}: {call:?}",
                    strategy.id
                );
                let known = |source: &str| tool.sources.contains_key(source);
                assert!(text("source").is_none_or(known), "{}: {call:?}", strategy.id);
            }
        }
    }

    /// Otherwise the recovery after an empty search of event logs would miss a new event type.
    #[test]
    fn recovery_knows_every_type_of_events() {
        let catalogue = tools::catalogue();
        let events = catalogue.iter().find_map(|tool| tool.sources.get("event_log")).unwrap();
        let after = engine::strategies(engine::Edition::Now)
            .iter()
            .find(|strategy| strategy.id == "archived-logs")
            .unwrap();
        let reads = |asked: &str| {
            after.after.iter().any(|after| after.reads.as_ref().is_some_and(|reads| reads.fit(asked)))
        };
        assert!(reads("event_log") && reads("logons") && events.iter().all(|kind| reads(kind)), "{events:?}");
    }

    /// A misspelt name in a playbook would silently find nothing.
    #[test]
    fn every_step_names_tools_arguments_fields_and_predicates_that_exist() {
        let vocabulary = Vocabulary::shipped().unwrap();
        let catalogue = tools::catalogue();
        for agent in shipped_agents().unwrap() {
            for step in &agent.steps {
                let place = format!("{}: {}", agent.spec.name, step.id);
                let tool = catalogue.iter().find(|tool| tool.name == step.tool);
                let tool = tool.unwrap_or_else(|| panic!("{place}: no tool {}", step.tool));
                for argument in step.arguments.keys() {
                    assert!(tool.arguments["properties"].get(argument).is_some(), "{place}: {argument}");
                }
                for rule in &step.record {
                    let compared = rule.earlier.iter().flatten();
                    let fields = rule.values.iter().chain(rule.when.keys()).chain(rule.unless.keys());
                    let fields = fields.chain(compared);
                    for field in fields.filter(|field| *field != "record") {
                        let held = |kind: &RecordType| {
                            kind.fields.contains_key(field) || kind.fields.contains_key("*")
                        };
                        assert!(tool.records.iter().any(held), "{place}: no field {field}");
                    }
                    let meaning = vocabulary.meaning(&Predicate(rule.predicate.clone())).unwrap();
                    let proves = |kind: &RecordType| {
                        let states = meaning.states.get(&kind.name);
                        meaning.proved_by.contains(&kind.name)
                            && states.is_none_or(|field| rule.values.contains(field))
                    };
                    assert!(tool.records.iter().any(proves), "{place}: nothing proves {}", rule.predicate);
                }
            }
        }
    }

    #[test]
    fn the_name_of_a_shared_list_stands_for_its_items_and_an_unknown_one_is_refused() {
        let text = expand("x.toml", "a = [\"@user_writable\"]\nb = \"@any:user_writable\"\nc = 1").unwrap();
        let read: toml::Table = toml::from_str(&text).unwrap();
        let items = read["a"].as_array().unwrap();
        assert!(items.len() > 3 && text.lines().count() == 3);
        assert_eq!(read["b"].as_str().unwrap().split(" || ").count(), items.len());
        assert!(matches!(expand("x.toml", "a = [\"@nobody\"]"), Err(AgentError::UnknownList { .. })));
    }

    #[test]
    fn an_error_in_an_agent_file_points_at_its_line() {
        let error = parse("x.toml", "[agent]\nname = 7\n").unwrap_err();
        let AgentError::Malformed { source, .. } = error else { panic!("{error}") };
        assert!(source.to_string().contains("line 2"), "{source}");
    }
}
