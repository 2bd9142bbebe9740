//! The report as one HTML file. It fetches nothing, runs only its one embedded script, and can be read without it.
//!
//! Everything that evidence or a model wrote goes through [`say`] or [`proof`]; `maud` escapes what is put into a template.
//! Each phenomenon and each fact is rendered in one place ([`facts`]). A large run packs all but the first ones, and the script unpacks them.

mod answers;
mod attack_path;
mod audited;
mod calls;
mod cited;
mod contradictions;
mod custody;
mod data;
mod facts;
mod findings;
mod foremost;
mod hunted;
mod hypotheses;
mod limits;
mod network;
mod notes;
mod pack;
mod proof;
mod readings;
mod refused;
mod rejections;
mod shell;
mod story;
mod tactics;
mod timeline;
mod times;
mod words;

pub use audited::audit_page;
pub use hunted::{HuntPage, hunt_page};
pub use proof::Outputs;
pub use rejections::rejections_page;

use crate::contradicted::Contradictions;
use crate::limits::Limits;
use crate::sources::Corroborated;
use detect::Attack;
use graph::{Fit, Foremost, Placed, Question, Ranked, Run, attack_fits, fact_title, narrative, ranked};
use ledger::{FactEntry, FactId};
use maud::{Markup, html};
use proof::Proofs;
use std::collections::{BTreeMap, BTreeSet};

/// The inputs of a page besides the run's events.
pub struct Material<'m> {
    /// The stored outputs, for the proofs.
    pub outputs: &'m Outputs<'m>,
    /// The techniques that facts can fit.
    pub attack: &'m Attack,
    /// The result of verifying the run; `None` if it was not verified.
    pub verified: Option<&'m Verified>,
}

/// The result of verifying a run, for people.
#[derive(Debug, Clone, Default)]
pub struct Verified {
    /// The last link of the chain, in hex digits; `None` if the chain is broken.
    pub head: Option<String>,
    /// Every level with its result, lowest first.
    pub levels: Vec<VerifiedLevel>,
    /// The problems found: where, and what is wrong there.
    pub findings: Vec<(String, String)>,
}

/// A level of verification.
#[derive(Debug, Clone)]
pub struct VerifiedLevel {
    /// What it checks.
    pub name: String,
    /// Whether it holds; `None` if it was not checked.
    pub holds: Option<bool>,
    /// Why it does not hold or was not checked.
    pub because: Option<String>,
}

/// Renders the whole run as one page.
pub fn page(run: &Run, material: &Material<'_>) -> String {
    let scene = Scene::of(run, material);
    let title = format!("{} – {}", run.opened.case.title, run.name());
    let body = html! {
        (shell::head(&scene))
        main id="main" {
            (crate::in_words::section(run, |fact| fact_link(run, fact)))
            (foremost::section(&scene))
            (story::section(&scene))
            (answers::section(&scene))
            (timeline::section(&scene))
            (findings::section(&scene))
            (crate::brought::section(run))
            (tactics::section(&scene))
            (hypotheses::section(&scene))
            (contradictions::section(&scene))
            (readings::section(&scene))
            (network::section(&scene))
            (notes::section(&scene))
            (limits::section(&scene))
            (refused::section(&scene))
            (custody::section(&scene))
            (calls::section(&scene))
            (facts::section(&scene))
            (words::section())
        }
    };
    shell::document(&title, &body, Some(&data::data(&scene)))
}

/// Returns the Content-Security-Policy of the page, for a server that sends it over HTTP.
pub fn policy() -> String {
    shell::policy(true)
}

/// The context that the sections of a page share.
struct Scene<'r> {
    run: &'r Run,
    verified: Option<&'r Verified>,
    /// The questions of the run, and their status.
    questions: Vec<Question<'r>>,
    ranked: Vec<Ranked<'r>>,
    /// The facts that stand out most, and how many more do.
    foremost: (Vec<Foremost<'r>>, usize),
    /// The story, in its order.
    told: Vec<crate::story::Line<'r>>,
    /// Sentences that agents wrote, in a run of an earlier version.
    sentences: Vec<Placed<'r>>,
    /// The facts that other kinds of sources corroborate.
    corroborated: Corroborated,
    contradictions: Contradictions<'r>,
    limits: Limits<'r>,
    proofs: Proofs,
    attack: &'r Attack,
    /// The techniques that facts of the run fit, ordered by id.
    fits: Vec<Fit<'r>>,
    /// The facts in page order: first those that are cited, then the others, each in the order of its phenomenon.
    order: Vec<FactId>,
    /// The facts that answers, findings and the story link to.
    cited: BTreeSet<FactId>,
    /// The cited facts whose proofs are printed.
    printed: BTreeSet<FactId>,
    /// The phenomenon that carries each fact, by its index in `ranked`.
    carried: BTreeMap<FactId, usize>,
    /// The supplied rules that match the records of facts.
    brought: BTreeMap<FactId, Vec<u32>>,
}

impl<'r> Scene<'r> {
    fn of(run: &'r Run, material: &Material<'r>) -> Scene<'r> {
        let ranked = ranked(run);
        let foremost = crate::foremost::shown(run);
        let mut order = Vec::new();
        let mut carried = BTreeMap::new();
        for (number, it) in ranked.iter().enumerate() {
            for fact in &it.facts {
                if carried.insert(*fact, number).is_none() {
                    order.push(*fact);
                }
            }
        }
        // Facts that were recorded before the run broke off but whose phenomenon was not.
        order.extend(run.facts().map(|(_, it)| it.fact.id).filter(|fact| !carried.contains_key(fact)));
        let told = crate::story::lines(run);
        let questions = graph::questions(run);
        let led_to = |led| {
            let mut cited = cited::cited(led, run, &questions, &ranked, &foremost.0, &told);
            cited.retain(|fact| run.fact(*fact).is_some());
            cited
        };
        let (cited, printed) = (led_to(cited::SHOWN), led_to(cited::PRINTED));
        order.sort_by_key(|fact| !cited.contains(fact));
        let proofs = Proofs::of(run, material.outputs);
        let (attack, verified) = (material.attack, material.verified);
        let corroborated = Corroborated::of(run);
        Scene {
            run,
            verified,
            ranked,
            foremost,
            told,
            sentences: narrative(run),
            corroborated,
            contradictions: Contradictions::of(run),
            limits: limits::of(run, &questions, verified),
            questions,
            proofs,
            attack,
            fits: attack_fits(attack, run),
            order,
            cited,
            printed,
            carried,
            brought: graph::rules_of_facts(run),
        }
    }
}

/// Returns text from the evidence, a model or a file on one line, with characters escaped that move, hide or break text.
fn say(text: &str) -> String {
    graph::printable(text)
}

/// Renders a link to the proof of a fact, with what it says.
fn fact_link(run: &Run, id: FactId) -> Markup {
    html! {
        a href=(format!("#proof-{id}")) {
            @match run.fact(id) {
                Some(fact) => (titled(fact)),
                None => (id),
            }
        }
    }
}

/// Renders what a fact says, with the values set apart.
fn titled(fact: &FactEntry) -> Markup {
    let title = fact_title(fact);
    let head = fact_title(&FactEntry { values: Vec::new(), ..fact.clone() });
    let values = title.strip_prefix(&head).unwrap_or_default();
    html! { b { (head) } span.values { (values) } }
}
