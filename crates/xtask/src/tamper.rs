//! A tamper campaign: copies of a sealed run are changed in every way we could think of;
//! `locard verify` must find each change, unless the run still says the same.

mod forge;

use crate::program;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Output;
use testkit::random::Random;
use testkit::tamper::{KINDS, write};

/// The parameters of a campaign.
pub(crate) struct Campaign {
    /// The `locard` program.
    pub(crate) locard: PathBuf,
    /// A sealed run.
    pub(crate) run: PathBuf,
    /// The number of copies that are changed in each way.
    pub(crate) times: u32,
    /// A folder of our own, in which copies are created and removed.
    pub(crate) place: PathBuf,
}

/// The results of one way of changing a run.
#[derive(Debug, Default)]
struct Tally {
    found: u32,
    meaningless: u32,
    missed: u32,
}

/// Runs the campaign; reports missed changes and the table, and returns the number of missed changes.
pub(crate) fn campaign(campaign: &Campaign, tell: &mut dyn FnMut(String)) -> io::Result<u32> {
    std::fs::create_dir_all(&campaign.place)?;
    let copy = campaign.place.join("copy");
    renew(&campaign.run, &copy)?;
    let said = campaign.said(&copy)?;
    let mut random = Random::new(11);
    let (mut missed, mut lines) = (0, Vec::new());
    for kind in KINDS {
        let mut tally = Tally::default();
        for _ in 0..campaign.times {
            renew(&campaign.run, &copy)?;
            let what = (kind.change)(&copy, &mut random)?;
            match campaign.verifies(&copy, None)? {
                false => tally.found += 1,
                true if campaign.said(&copy).is_ok_and(|now| now == said) => tally.meaningless += 1,
                true => {
                    tally.missed += 1;
                    tell(format!("MISSED: {}: {what}", kind.name));
                }
            }
        }
        missed += tally.missed;
        lines.push(format!("| {} | {} | {} | {} |", kind.name, tally.found, tally.meaningless, tally.missed));
    }
    missed += campaign.forged(&copy, &mut random, tell, &mut lines)?;
    tell("| change | found | without meaning | missed |\n|---|---|---|---|".to_owned());
    lines.into_iter().for_each(tell);
    Ok(missed)
}

impl Campaign {
    /// Tests logs that were changed, rechained and resealed: with the folder alone this cannot be detected, but with the original head it can.
    fn forged(
        &self,
        copy: &Path,
        random: &mut Random,
        tell: &mut dyn FnMut(String),
        lines: &mut Vec<String>,
    ) -> io::Result<u32> {
        let kept = self.run.join("manifest.json");
        let (mut chained, mut sealed, mut alone) = (Tally::default(), Tally::default(), 0);
        for _ in 0..self.times {
            forge::rechain(&self.run, copy, random)?;
            std::fs::copy(&kept, copy.join("manifest.json"))?;
            self.count(copy, None, &mut chained)?;
            std::fs::remove_file(copy.join("manifest.json"))?;
            // Resuming a sealed log writes its manifest.
            self.locard(&["resume".as_ref(), copy.as_os_str()])?;
            alone += u32::from(self.verifies(copy, None)?);
            self.count(copy, Some(&kept), &mut sealed)?;
        }
        for (name, tally) in [
            ("a time changed, chained anew, the old manifest", &chained),
            ("the same, sealed anew, against a head kept elsewhere", &sealed),
        ] {
            if tally.missed > 0 {
                tell(format!("MISSED: {name}: {}", tally.missed));
            }
            lines.push(format!("| {name} | {} | 0 | {} |", tally.found, tally.missed));
        }
        lines.push(format!(
            "| the same, sealed anew, against nothing: verify says that nobody vouches for the head | {} | 0 | {alone} by design |",
            self.times - alone
        ));
        Ok(chained.missed + sealed.missed)
    }

    fn count(&self, copy: &Path, head: Option<&Path>, tally: &mut Tally) -> io::Result<()> {
        match self.verifies(copy, head)? {
            true => tally.missed += 1,
            false => tally.found += 1,
        }
        Ok(())
    }

    fn verifies(&self, run: &Path, head: Option<&Path>) -> io::Result<bool> {
        let head = head.map(|head| ["--head".as_ref(), head.as_os_str()]);
        let arguments = ["verify".as_ref(), run.as_os_str()].into_iter().chain(head.into_iter().flatten());
        let output = self.locard(&arguments.collect::<Vec<_>>())?;
        match output.status.code() {
            Some(0) => Ok(true),
            Some(2..) => Ok(false),
            // A panic is a bug in this program, whatever the run is.
            Some(_) | None => Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned())),
        }
    }

    /// Returns everything that the run says, in the form for programs.
    fn said(&self, run: &Path) -> io::Result<Vec<Vec<u8>>> {
        let says = |command: &str| {
            let format = ["--format".as_ref(), "json".as_ref()];
            let output = self.locard(&[&[command.as_ref(), run.as_os_str()][..], &format].concat())?;
            match output.status.success() {
                true => Ok(output.stdout),
                false => Err(io::Error::other(format!("{command} ended with {}", output.status))),
            }
        };
        ["facts", "report", "rejections"].into_iter().map(says).collect()
    }

    fn locard(&self, arguments: &[&std::ffi::OsStr]) -> io::Result<Output> {
        program::locard(&self.locard).args(arguments).output()
    }
}

/// Makes a fresh, writable copy of the run.
fn renew(run: &Path, copy: &Path) -> io::Result<()> {
    if copy.exists() {
        std::fs::remove_dir_all(copy)?;
    }
    std::fs::create_dir_all(copy)?;
    for name in ["run.db", "manifest.json"] {
        write(&copy.join(name), &std::fs::read(run.join(name))?)?;
    }
    Ok(())
}
