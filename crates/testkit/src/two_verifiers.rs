//! Compares two verifiers that share no code, `locard verify` and `scripts/verify.py`, on the same tampered runs.
//!
//! Each change is made to a copy in both forms of a run: as sealed, and as written by `locard export --plain`.
//! If one verifier finds something and the other does not, that is a disagreement, unless the page that the script was written from
//! (`docs/run-format.md`) says that it does not check this. Such changes and findings are defined by rules ([`scope`]),
//! not by a list of copies.
//! A copy that both accept must be the same run in different bytes, or a run with a different head, which only a head stored elsewhere reveals.

mod edit;
mod events;
mod facts;
mod files;
mod form;
mod kinds;
mod log;
mod outputs;
mod programs;
mod scope;
mod table;

pub use programs::Programs;

use crate::random::Random;
use form::{Form, Subject};
use kinds::{Change, KINDS, Kind};
use std::io;
use std::path::{Path, PathBuf};
use table::{Came, Row, Table};

/// The parameters of a campaign.
pub struct Campaign {
    /// The two verifiers.
    pub programs: Programs,
    /// Sealed runs.
    pub runs: Vec<PathBuf>,
    /// The number of copies of each run that are changed in each way.
    pub times: u32,
    /// Uses only every n-th way; 1 for all.
    pub every: usize,
    /// The seed of the changes.
    pub seed: u64,
    /// A folder of our own, in which copies are created and removed.
    pub place: PathBuf,
}

/// The result of a campaign.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Total {
    /// The number of changed copies that both verifiers judged.
    pub copies: u32,
    /// The number of copies that one verifier accepts and the other does not, contrary to the page.
    pub disagreements: u32,
    /// The number of copies that both accept although they say something else under the same head.
    pub missed: u32,
}

/// Runs the campaign; reports each disagreement immediately, and the tables at the end.
pub fn campaign(campaign: &Campaign, tell: &mut dyn FnMut(String)) -> io::Result<Total> {
    std::fs::create_dir_all(&campaign.place)?;
    let mut table = Table::default();
    for (number, run) in campaign.runs.iter().enumerate() {
        let subject = Subject::new(&campaign.programs, run, &campaign.place.join(format!("run-{number}")))?;
        for (at, kind) in KINDS.iter().enumerate().step_by(campaign.every.max(1)) {
            let mut row = Row::new(kind.name());
            for time in 0..campaign.times {
                for form in [Form::Plain, Form::Stored] {
                    // The same change in both forms.
                    let seed = campaign.seed ^ (number as u64) << 40 ^ (at as u64) << 20 ^ u64::from(time);
                    if let Some(came) = one(campaign, &subject, form, kind, &mut Random::new(seed), tell)? {
                        row.count(&came);
                    }
                }
            }
            table.add(row);
        }
    }
    table.tell(tell);
    Ok(table.total())
}

/// Changes one copy and has it judged; `None` if the run has nothing that can be changed this way.
fn one(
    campaign: &Campaign,
    subject: &Subject,
    form: Form,
    kind: &Kind,
    random: &mut Random,
    tell: &mut dyn FnMut(String),
) -> io::Result<Option<Came>> {
    let copy = campaign.place.join("copy");
    subject.renew(form, &copy)?;
    let Some(what) = kind.apply(subject, &copy, random)? else { return Ok(None) };
    let came = judge(campaign, subject, form, kind, &copy)?;
    if let Came::Disagreed(why) | Came::Missed(why) = &came {
        tell(format!("{}: {}, {form}: {what}: {why}", came.word(), kind.name()));
    }
    Ok(Some(came))
}

fn judge(campaign: &Campaign, subject: &Subject, form: Form, kind: &Kind, copy: &Path) -> io::Result<Came> {
    let programs = &campaign.programs;
    let locard = programs.verify(copy, None)?;
    let (judged, locard, script) = match form {
        Form::Plain => (copy.to_owned(), locard, programs.script(copy)?),
        Form::Stored => match form::exported(programs, copy, &campaign.place.join("exported"))? {
            None if locard.passes() => {
                return Ok(Came::Disagreed("verify passes what export refuses".to_owned()));
            }
            None => return Ok(Came::Refused),
            // An export is a separate run: damage outside its rows is left behind.
            Some(exported) => {
                let (again, script) = (programs.verify(&exported, None)?, programs.script(&exported)?);
                if locard.passes() && !again.passes() {
                    return Ok(Came::Disagreed(format!("the export of what holds does not: {again}")));
                }
                (exported, again, script)
            }
        },
    };
    Ok(match (locard.passes(), script.passes()) {
        (false, false) => Came::BothFound,
        (true, false) => Came::Disagreed(format!("only the script: {}", script.said())),
        (false, true) => match scope::beyond(kind.page(), &locard) {
            Ok(rules) => Came::Beyond(rules),
            Err(finding) => Came::Disagreed(format!("only locard: {finding}")),
        },
        (true, true) => both_passed(programs, subject, &judged)?,
    })
}

/// Checks that a copy accepted by both says what the run said, or has a different head.
fn both_passed(programs: &Programs, subject: &Subject, copy: &Path) -> io::Result<Came> {
    Ok(match programs.verify(copy, Some(subject.head()))?.code() {
        36 => Came::HeadAlone,
        0 if programs.said(copy)? == *subject.said() => Came::Meaningless,
        code => {
            Came::Missed(format!("it says something else, and against the old head verify ends with {code}"))
        }
    })
}

impl Kind {
    fn apply(&self, subject: &Subject, copy: &Path, random: &mut Random) -> io::Result<Option<String>> {
        match self.change() {
            Change::Copy(change) => change(copy, random).map(Some),
            Change::Maybe(change) => change(copy, random),
            Change::Log(change) => {
                let mut log = subject.log();
                let Some(what) = change(&mut log, random) else { return Ok(None) };
                log.write(copy)?;
                Ok(Some(what))
            }
        }
    }
}
