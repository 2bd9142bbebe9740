//! Use case: measure the gateway with claims that are seeded into a sealed run.
//!
//! Claims are made from the run's own records, some true and some false, kind by kind (`kinds`).
//! A scan that shares no code with `ground` decides that a false claim is indeed false (`scan`, `alike`).
//! The gateway judges each claim against the shelf of its task; other rule sets judge the same claim for comparison (`rulesets`).
//! Equal runs, seeds and rule sets produce equal results: nothing reads a clock, and threads do not change the order.

mod absent;
mod alike;
mod cite;
mod counts;
mod draw;
mod epochs;
mod idle;
mod kinds;
mod material;
mod mutate;
mod posed;
mod quotes;
mod recombine;
mod reformat;
mod result;
mod rulesets;
mod scan;
mod seed;
mod table;
mod text;
mod times;
mod told;
mod values;
mod verdict;
mod worded;
mod world;

pub use kinds::Side;
pub use material::MaterialError;
pub use result::{Example, GateBench, KindResult, RuleSetResult, Totals, WrongAnswer};
pub use rulesets::{LooksAt, Matching, RuleSet, RuleSetError, rule_sets};
pub use table::gate_table;
pub use verdict::Ending;

use draw::Draw;
use kinds::{Check, KINDS, Kind};
use material::Material;
use posed::Posed;
use scan::Scan;
use seed::{Fields, Maker, Seeded};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use text::RunText;
use verdict::{Court, Judged, judge};

/// After this many draws in a row without a new claim, a kind counts as exhausted.
const MOST_VAIN_DRAWS: usize = 20_000;

/// What to measure.
#[derive(Debug, Clone)]
pub struct GateBenchRequest {
    /// The most claims over all kinds.
    pub claims: usize,
    /// The seed of the random draws.
    pub seed: u64,
    /// The rule sets that the gateway is compared with.
    pub sets: Vec<RuleSet>,
    /// The most examples to keep of each wrong answer of a kind.
    pub examples: usize,
}

/// Seeds claims into the sealed run in `folder` and judges them.
///
/// # Errors
///
/// Returns an error if the run cannot be used as material, or if no claim can be made from it.
pub fn bench_gate(folder: &Path, request: &GateBenchRequest) -> Result<GateBench, MaterialError> {
    let mut material = Material::load(folder)?;
    let seeded = {
        let scans = scans(&material);
        seed_claims(&material, &scans, request)
    };
    if seeded.iter().all(Vec::is_empty) {
        return Err(MaterialError::Nothing { folder: folder.to_owned() });
    }
    for seeded in seeded.iter().flatten() {
        material.cite(seeded);
    }
    let scans = scans(&material);
    let worlds = material.worlds.iter().map(|world| world.tasks.as_slice());
    let texts: Vec<RunText> =
        std::iter::once(material.tasks.as_slice()).chain(worlds).map(RunText::new).collect();
    let court = Court { material: &material, scans: &scans, texts: &texts, sets: &request.sets };
    let judged = judge_all(&court, &seeded);
    Ok(GateBench::new(&court, request, &seeded, &judged))
}

impl Material {
    /// Records in the task's shelf whether the cited id belongs to another task, as the engine does before it judges.
    fn cite(&mut self, seeded: &Seeded) {
        // Claims of other forms are judged against material made up for them.
        let Posed::Reading(_) = &seeded.posed else { return };
        let claim = seeded.posed.claim();
        let own = self.tasks.len().max(1);
        let tasks = match (seeded.task / own).checked_sub(1) {
            None => Some(&mut self.tasks),
            Some(world) => self.worlds.get_mut(world).map(|world| &mut world.tasks),
        };
        if let Some(task) = tasks.and_then(|tasks| tasks.get_mut(seeded.task % own)) {
            engine::cite(&mut task.shelf, &self.setting, task.task, &claim);
        }
    }
}

fn scans(material: &Material) -> Vec<Scan<'_>> {
    let (types, vocabulary) = (material.bench.types(), material.bench.vocabulary());
    material.all().map(|task| Scan::new(task, types, vocabulary)).collect()
}

/// Returns claims of each kind, all different within a kind. The kinds get equal shares, as far as the run has material for them.
fn seed_claims(material: &Material, scans: &[Scan<'_>], request: &GateBenchRequest) -> Vec<Vec<Seeded>> {
    let fields = Fields::new(material, scans);
    let mut sources: Vec<Source<'_>> = KINDS
        .iter()
        .map(|kind| Source {
            kind,
            maker: Maker::new(material, scans, &fields, Draw::new(request.seed, kind.name)),
            known: HashSet::new(),
            claims: Vec::new(),
            dry: false,
        })
        .collect();
    let mut left = request.claims;
    while left > 0 {
        let flowing = sources.iter().filter(|source| !source.dry).count();
        if flowing == 0 {
            break;
        }
        let share = left.div_ceil(flowing);
        for source in sources.iter_mut().filter(|source| !source.dry) {
            left -= source.draw(share.min(left));
        }
    }
    sources.into_iter().map(|source| source.claims).collect()
}

/// The claims of a kind while they are drawn.
struct Source<'m> {
    kind: &'static Kind,
    maker: Maker<'m>,
    /// Hashes of the claims together with everything they are judged against.
    known: HashSet<u64>,
    claims: Vec<Seeded>,
    dry: bool,
}

impl Source<'_> {
    /// Draws up to `wanted` more claims and returns how many it drew.
    fn draw(&mut self, wanted: usize) -> usize {
        let (mut drawn, mut vain) = (0, 0);
        while drawn < wanted && vain < MOST_VAIN_DRAWS {
            let seeded = (self.kind.make)(&mut self.maker);
            match seeded.filter(|seeded| is_sound(self.kind, self.maker.scans, seeded)) {
                Some(seeded) if self.known.insert(hash(&seeded)) => {
                    self.claims.push(seeded);
                    (drawn, vain) = (drawn + 1, 0);
                }
                Some(_) | None => vain += 1,
            }
        }
        self.dry = drawn < wanted;
        drawn
    }
}

fn hash(seeded: &Seeded) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{} {:?}", seeded.task, seeded.posed).hash(&mut hasher);
    hasher.finish()
}

/// Whether a claim is what its kind says: a false claim must be false by an independent scan of the records.
fn is_sound(kind: &Kind, scans: &[Scan<'_>], seeded: &Seeded) -> bool {
    let Some(scan) = scans.get(seeded.task) else { return false };
    let Some(reading) = seeded.posed.reading() else { return kind.check == Check::Made };
    match kind.check {
        Check::Made => true,
        Check::StandsNowhere => scan.places(reading).is_empty(),
        Check::ProvedNowhere => scan.proofs(reading).is_empty(),
        Check::QuotedNowhere => scan.quoted(reading).is_empty(),
    }
}

/// Returns the verdicts on all claims, in order; uses as many threads as there are processors.
fn judge_all(court: &Court<'_>, seeded: &[Vec<Seeded>]) -> Vec<Vec<Option<Judged>>> {
    let claims: Vec<_> = KINDS
        .iter()
        .zip(seeded)
        .flat_map(|(kind, claims)| claims.iter().map(move |seeded| (kind.side, seeded)))
        .collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut all: Vec<Option<Judged>> = Vec::new();
    all.resize_with(claims.len(), || None);
    // Small chunks on demand: kinds differ in cost.
    let next = std::sync::Mutex::new(claims.chunks(64).zip(all.chunks_mut(64)));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((claims, verdicts)) = next.lock().ok().and_then(|mut next| next.next()) {
                    for ((side, seeded), verdict) in claims.iter().zip(verdicts) {
                        *verdict = judge(court, *side, seeded);
                    }
                }
            });
        }
    });
    let mut all = all.into_iter();
    seeded.iter().map(|claims| all.by_ref().take(claims.len()).collect()).collect()
}
