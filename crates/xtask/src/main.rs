//! Chores of the workspace: `cargo xtask <chore>`.
#![expect(clippy::print_stderr, reason = "a chore talks to whoever runs it")]

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

mod ask_score;
mod campaign;
mod compare;
mod compare_ese;
mod compare_events;
mod compare_files;
mod compare_hives;
mod compare_mft;
mod compare_typed_events;
mod crash;
mod dist;
mod fuzz;
mod graph_bench;
mod guard;
mod injection;
mod large_image;
mod large_run;
mod llmock;
mod local_model;
mod memory;
mod mutate;
mod place;
mod program;
mod service;
mod sigma_regression;
mod slow;
mod stranger;
mod surface;
mod tamper;
mod two_verifiers;

const USAGE: &str = "usage: cargo xtask <chore>\n  \
    ask-score LOCARD QUESTIONS.toml --cases DIR [--each]  ask questions whose answers are known, and judge the answers (docs/ask.md)\n  \
    demo              write the demo case's evidence and truth from their description\n  \
    compare IMAGE...  compare what we read of disk images with what sleuthkit reads\n  \
    compare-prefetch FILE...  compare prefetch files with what sccainfo tells\n  \
    compare-lnk FILE...       compare shortcuts with what lnkinfo tells\n  \
    compare-events FILE...    compare event logs with what evtxexport tells\n  \
    compare-typed-events FILE...  compare what is told of typed events with what evtxexport tells
  \
    compare-ese FILE...       compare ESE databases with what esedbexport tells\n  \
    compare-hives HIVE...     compare hives with what reglookup tells\n  \
    compare-mft FILE...       compare $MFT files with what mft_dump tells\n  \
    crash LOCARD CASE N PLACE  kill N runs of a case, their workers or calls at random moments, and go on\n  \
    dist [--target TARGET]... [--out FOLDER] [--sign KEY]  make a release: archives, packages, what vouches for them\n  \
    fuzz [--seconds N] [--only TARGET]... [--small]  run the fuzz targets in turn, and add up what they came to (nightly compiler)\n  \
    graph-bench [--facts N] [--seed N]  connect 1,000,000 made facts and ask about them: time and memory (docs/benchmarks.md)\n  \
    hub-run FOLDER [--records N]  write a run of N records about one account, 200 where nothing else is said, whose graph is looked at\n  \
    hunt-campaign LOCARD SOURCES [--final] [--seed N] [--ordinary N] [--place FOLDER]  how much of recorded attacks `locard hunt` flags (docs/hunt-campaign.md)\n  \
    injection LOCARD [CASE...] [--alone] [--only N,...] [--json FILE] [--model MODEL --runs N]  plant orders to an agent, obey them, and judge what came of it\n  \
    large-image FILE [--files N] [--tree FOLDER --copies N] [--gib N] [--seed N]  write a large NTFS image (mkntfs, ntfs-3g, as root)\n  \
    large-run FOLDER [--facts N]  write a sealed run of N facts, 50,000 where nothing else is said\n  \
    llmock LOCARD CASE [--folder VENV] [--only SCENARIO]  run against llmock's faults, and be graded\n  \
    local-model LOCARD CASE [--url URL | --folder DIR]  run against a small language model on this machine\n  \
    sigma-regression FOLDER   hold published Sigma rules against the logs that were published with them (a checkout of SigmaHQ/sigma)\n  \
    slow FOLDER [--seed N] [--scale N] [--only NAME]...  write evidence that is made to be slow\n  \
    slow-run LOCARD FOLDER [--only NAME]... [-- OPTION...]  what `locard run` takes over each of it (GNU time)\n  \
    surface LOCARD CASE [--out FILE] [--no-claims]  carry the playbook's calls and claims out through `locard mcp`, and weigh the answers\n  \
    tamper LOCARD RUN N PLACE  change copies of a sealed run, N in each way, and verify them\n  \
    two-verifiers LOCARD N RUN...  change copies of sealed runs (folders, or histories), N in each way, and hold scripts/verify.py against locard verify [--seed N]\n  \
    memory LOCARD CASE N PLACE [--seed N] [-- OPTION...]  kill N batches with a memory at random moments, write with four processes at once, and look for what is lost\n  \
    mutate [--count N] [--decoder NAME] [FILE...]  read damaged copies of samples, or of files\n  \
    endure FILE...            read damaged files in every way there is\n  \
    seeds                     write the samples as first inputs of the fuzz targets";

fn main() -> ExitCode {
    let result = match std::env::args().nth(1).as_deref() {
        Some("ask-score") => ask_score::run(&root().join("cases"), &mut |line| eprintln!("{line}")),
        Some("demo") => demo(),
        Some("compare") => compare_all(),
        Some("compare-prefetch") => compare_files(&compare_files::PREFETCH),
        Some("compare-lnk") => compare_files(&compare_files::LNK),
        Some("compare-ese") => compare_databases(),
        Some("compare-events") => compare_events(),
        Some("compare-typed-events") => compare_typed_events(),
        Some("compare-hives") => compare_hives(),
        Some("compare-mft") => compare_tables(),
        Some("crash") => crash(),
        Some("dist") => release(),
        Some("fuzz") => fuzz::run(&root(), |line| eprintln!("{line}")),
        Some("graph-bench") => graph_bench(),
        Some("hunt-campaign") => campaign::run(&mut |line| eprintln!("{line}")),
        Some("injection") => injection(),
        Some("large-image") => large_image(),
        Some("hub-run") => hub_run(),
        Some("large-run") => large_run(),
        Some("llmock") => llmock(),
        Some("local-model") => local_model(),
        Some("sigma-regression") => sigma_regression(),
        Some("slow") => slow::write(|line| eprintln!("{line}")),
        Some("slow-run") => slow::run(|line| eprintln!("{line}")),
        Some("surface") => surface(),
        Some("tamper") => tamper(),
        Some("two-verifiers") => two_verifiers(),
        Some("memory") => remember(),
        Some("mutate") => mutate::mutate(|line| eprintln!("{line}")),
        Some("endure") => mutate::endure(|line| eprintln!("{line}")),
        Some("seeds") => write_seeds(),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Compares images; fails if anything differs.
fn compare_all() -> io::Result<()> {
    let mut different = 0;
    for image in std::env::args_os().skip(2) {
        let image = PathBuf::from(image);
        different += compare::compare(&image, &mut |line| eprintln!("{line}")).map_err(io::Error::other)?;
    }
    if different == 0 { Ok(()) } else { Err(io::Error::other(format!("{different} differences"))) }
}

/// Compares files; fails if anything differs.
fn compare_files(format: &compare_files::Format) -> io::Result<()> {
    let (mut different, mut files) = (0, 0);
    for file in std::env::args_os().skip(2) {
        files += 1;
        let found = compare_files::compare(format, Path::new(&file), &mut |line| eprintln!("{line}"));
        different += found.map_err(io::Error::other)?;
    }
    eprintln!("{files} files, {different} differences");
    if different == 0 { Ok(()) } else { Err(io::Error::other(format!("{different} differences"))) }
}

/// Compares event logs; fails if anything differs.
fn compare_events() -> io::Result<()> {
    let mut different = 0;
    for log in std::env::args_os().skip(2) {
        different += compare_events::compare(Path::new(&log), &mut |line| eprintln!("{line}"))?;
    }
    if different == 0 { Ok(()) } else { Err(io::Error::other(format!("{different} differences"))) }
}

/// Compares records of typed events; prints to standard output what was compared, and fails if anything differs.
#[expect(clippy::print_stdout, reason = "the chore's result")]
fn compare_typed_events() -> io::Result<()> {
    let (mut different, mut kinds) = (0, compare_typed_events::Kinds::new());
    for log in std::env::args_os().skip(2) {
        different +=
            compare_typed_events::compare(Path::new(&log), &mut kinds, &mut |line| eprintln!("{line}"))?;
    }
    for ((kind, provider, id), (records, wrong)) in &kinds {
        println!("{kind}\t{provider}\t{id}\t{records}\t{wrong}");
    }
    if different == 0 { Ok(()) } else { Err(io::Error::other(format!("{different} differences"))) }
}

/// Fails if a rule fires differently from what was published.
#[expect(clippy::print_stdout, reason = "the chore's result")]
fn sigma_regression() -> io::Result<()> {
    let folder = std::env::args_os().nth(2).ok_or_else(|| io::Error::other(USAGE))?;
    match sigma_regression::run(Path::new(&folder), &mut |line| println!("{line}"))? {
        0 => Ok(()),
        different => Err(io::Error::other(format!("{different} rules came out otherwise"))),
    }
}

/// Compares ESE databases; fails if anything differs.
fn compare_databases() -> io::Result<()> {
    let mut different = 0;
    for path in std::env::args_os().skip(2) {
        let path = PathBuf::from(path);
        different +=
            compare_ese::compare(&path, &mut |line| eprintln!("{line}")).map_err(io::Error::other)?;
    }
    if different == 0 { Ok(()) } else { Err(io::Error::other(format!("{different} differences"))) }
}

/// Compares hives; fails if anything differs.
fn compare_hives() -> io::Result<()> {
    let mut different = 0;
    for hive in std::env::args_os().skip(2) {
        different += compare_hives::compare(Path::new(&hive), &mut |line| eprintln!("{line}"))?;
    }
    if different == 0 { Ok(()) } else { Err(io::Error::other(format!("{different} differences"))) }
}

/// Compares master file tables; fails if anything differs.
fn compare_tables() -> io::Result<()> {
    let mut different = 0;
    for file in std::env::args_os().skip(2) {
        different += compare_mft::compare(Path::new(&file), &mut |line| eprintln!("{line}"))?;
    }
    if different == 0 { Ok(()) } else { Err(io::Error::other(format!("{different} differences"))) }
}

/// Fails if a killed run did not get the same seal.
fn crash() -> io::Result<()> {
    let (locard, case, times, place) = campaign()?;
    let campaign = crash::Campaign { locard, case, times, place };
    match crash::campaign(&campaign, &mut |line| eprintln!("{line}"))? {
        0 => Ok(()),
        different => Err(io::Error::other(format!("{different} of {times} runs are not the same"))),
    }
}

/// Fails if a meaningful change was missed.
fn tamper() -> io::Result<()> {
    let (locard, run, times, place) = campaign()?;
    let campaign = tamper::Campaign { locard, run, times, place };
    match tamper::campaign(&campaign, &mut |line| eprintln!("{line}"))? {
        0 => Ok(()),
        missed => Err(io::Error::other(format!("{missed} changes were missed"))),
    }
}

/// Fails if a lesson is lost that was reported as written.
fn remember() -> io::Result<()> {
    let wrong = || {
        io::Error::other("expected the program, a case, a number and a folder of ours, and maybe --seed N")
    };
    let campaign = memory::Campaign::read(std::env::args_os().skip(2)).ok_or_else(wrong)?;
    none_broken(memory::run(&campaign, &mut |line| eprintln!("{line}"))?)
}

/// Fails if the two verifiers disagree, or both accept something that says something else under the same head.
fn two_verifiers() -> io::Result<()> {
    let wrong =
        || io::Error::other("expected the program, a number, sealed runs or histories, and maybe --seed N");
    let campaign = two_verifiers::Arguments::read(std::env::args_os().skip(2)).ok_or_else(wrong)?;
    none_broken(two_verifiers::held(&campaign, &root(), &mut |line| eprintln!("{line}"))?)
}

/// Fails if an injection succeeded.
fn injection() -> io::Result<()> {
    let wrong = || io::Error::other("expected the program, and maybe folders of evidence and options");
    let campaign = injection::Campaign::read(std::env::args_os().skip(2)).ok_or_else(wrong)?;
    none_broken(injection::measured(&campaign, &mut |line| eprintln!("{line}"))?)
}

#[expect(clippy::disallowed_methods, reason = "whoever calls the chore names the file")]
fn surface() -> io::Result<()> {
    let wrong = || io::Error::other("expected the program and a case, and maybe --out FILE and --no-claims");
    let mut arguments = std::env::args_os().skip(2);
    let (Some(locard), Some(case)) = (arguments.next(), arguments.next()) else { return Err(wrong()) };
    let (mut out, mut claims) = (None, true);
    while let Some(option) = arguments.next() {
        match option.to_str() {
            Some("--out") => out = Some(arguments.next().ok_or_else(wrong)?),
            Some("--no-claims") => claims = false,
            _ => return Err(wrong()),
        }
    }
    let place = place::Place::new("surface")?;
    let (locard, case) = (Path::new(&locard), Path::new(&case));
    let steps = surface::script(locard, case, place.path())?;
    let investigation = surface::carry_out(locard, case, place.path(), steps)?;
    if let Some(out) = out {
        std::fs::write(out, investigation.lines(claims))?;
    }
    eprintln!("{}", investigation.summary());
    Ok(())
}

fn release() -> io::Result<()> {
    let told = |error: dist::DistError| io::Error::other(error.told());
    let options = dist::Options::read(std::env::args().skip(2).collect(), &root()).map_err(told)?;
    dist::dist(&options, &root(), &mut |line| eprintln!("{line}")).map_err(told)
}

fn large_image() -> io::Result<()> {
    let wrong = |of: &str| io::Error::other(format!("expected a file that is not there, and {of}"));
    let mut arguments = std::env::args().skip(2);
    let path = PathBuf::from(arguments.next().ok_or_else(|| wrong("options"))?);
    let mut image =
        large_image::LargeImage { path, gibibytes: 20, files: 400_000, tree: None, copies: 9, seed: 1 };
    while let Some(option) = arguments.next() {
        let value = arguments.next().ok_or_else(|| wrong(&format!("a value behind {option}")))?;
        let number = || value.parse().map_err(|_| wrong(&format!("a number behind {option}")));
        match option.as_str() {
            "--files" => image.files = number()?,
            "--copies" => image.copies = number()?,
            "--tree" => image.tree = Some(PathBuf::from(&value)),
            "--gib" => image.gibibytes = number()?.into(),
            "--seed" => image.seed = number()?.into(),
            _ => return Err(wrong(&format!("no option {option}"))),
        }
    }
    large_image::write(&image)
}

fn large_run() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    let wrong = || io::Error::other("expected a folder that is not there, and maybe --facts and a number");
    let (folder, facts) = match arguments.as_slice() {
        [folder] => (folder, large_run::FACTS),
        [folder, option, facts] if option == "--facts" => (folder, facts.parse().map_err(|_| wrong())?),
        _ => return Err(wrong()),
    };
    let tally = large_run::write(Path::new(folder), facts).map_err(io::Error::other)?;
    eprintln!("{tally}");
    Ok(())
}

/// Writes a run in which one account is related to many things.
fn hub_run() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    let wrong =
        || io::Error::other("expected a folder that is not there yet, and maybe --records and a number");
    let (folder, records) = match arguments.as_slice() {
        [folder] => (folder, 200),
        [folder, option, records] if option == "--records" => (folder, records.parse().map_err(|_| wrong())?),
        _ => return Err(wrong()),
    };
    testkit::hub::write(Path::new(folder), records)
}

#[expect(clippy::print_stdout, reason = "the chore's result")]
fn graph_bench() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    let wrong = || io::Error::other("expected maybe --facts and a number, and maybe --seed and a number");
    let (mut facts, mut seed) = (graph_bench::FACTS, 1);
    for option in arguments.chunks(2) {
        match option {
            [name, number] if name == "--facts" => facts = number.parse().map_err(|_| wrong())?,
            [name, number] if name == "--seed" => seed = number.parse().map_err(|_| wrong())?,
            _ => return Err(wrong()),
        }
    }
    print!("{}", graph_bench::bench(facts, seed));
    Ok(())
}

/// Fails if the client handles a fault badly, or a check of a run against it fails.
fn llmock() -> io::Result<()> {
    let wrong =
        || io::Error::other("expected the program, a case, and maybe --folder VENV or --only SCENARIO");
    let campaign = llmock::campaign(std::env::args().skip(2).collect()).ok_or_else(wrong)?;
    none_broken(llmock::held(&campaign, &mut |line| eprintln!("{line}"))?)
}

/// Fails if a check of a run with an untrusted model fails.
#[expect(clippy::disallowed_methods, reason = "where the model is may be set once for a machine")]
fn local_model() -> io::Result<()> {
    let wrong =
        || io::Error::other("expected the program, a case, and --url URL, --folder DIR or LOCAL_LLM_URL");
    let preset = std::env::var("LOCAL_LLM_URL").ok();
    let campaign = local_model::campaign(std::env::args().skip(2).collect(), preset).ok_or_else(wrong)?;
    none_broken(local_model::held(&campaign, &root(), &mut |line| eprintln!("{line}"))?)
}

fn none_broken(broken: usize) -> io::Result<()> {
    if broken == 0 { Ok(()) } else { Err(io::Error::other(format!("{broken} things do not hold"))) }
}

/// Parses the arguments of a campaign: the program, a case or a run, a number, a folder of our own.
fn campaign() -> io::Result<(PathBuf, PathBuf, u32, PathBuf)> {
    let arguments: Vec<_> = std::env::args_os().skip(2).map(PathBuf::from).collect();
    let wrong = || io::Error::other("expected the program, a case or a run, a number and a folder of ours");
    let [locard, subject, times, place] = arguments.try_into().map_err(|_| wrong())?;
    let times = times.to_str().and_then(|times| times.parse().ok()).ok_or_else(wrong)?;
    Ok((locard, subject, times, place))
}

/// Returns the folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[expect(clippy::disallowed_methods, reason = "writing the fixture is what this chore is for")]
fn demo() -> io::Result<()> {
    let case = root().join("cases/demo");
    let image = testkit::demo::image().map_err(io::Error::other)?;
    let (archive, truth) = (testkit::demo::archive(), testkit::demo::truth().into_bytes());
    for (name, bytes) in
        [(testkit::demo::IMAGE, image), (testkit::demo::ARCHIVE, archive), (testkit::demo::TRUTH, truth)]
    {
        std::fs::write(case.join(name), &bytes)?;
        eprintln!("{name} {} bytes", bytes.len());
    }
    Ok(())
}

/// Returns the initial inputs of the fuzz targets: the samples of each decoder, and hives.
fn seeds() -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    let hives = testkit::artifact_hives::files().into_iter().map(|(_, bytes)| ("hive", bytes));
    let samples = testkit::samples::samples().into_iter().chain(testkit::samples::exported_logs());
    samples.map(|sample| (sample.decoder, sample.bytes)).chain(hives)
}

/// Writes them into a folder for each decoder, and one for hives.
#[expect(clippy::disallowed_methods, reason = "writing the files is what this chore is for")]
fn write_seeds() -> io::Result<()> {
    for (number, (target, bytes)) in seeds().enumerate() {
        let folder = root().join("fuzz/corpus").join(target);
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join(format!("sample-{number}")), bytes)?;
    }
    Ok(())
}
