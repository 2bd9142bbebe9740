//! The cost of finding which of very many outputs holds a reading, compared with a scan at the speed of memory.
//! Run `cargo bench -p ground --bench rescue`.
//!
//! Goals:
//!
//! - a correct citation of 64 KiB takes ≤ 15 µs;
//! - among 100,000 outputs of 8 KiB, a present reading takes p50 ≤ 50 µs and p95 ≤ 1 ms, an absent one p95 ≤ 2 ms,
//!   100 times faster than the scan;
//! - the index takes in ≥ 200 MB of text per CPU-second and uses ≤ 60% of the text's size.
//!
//! `LOCARD_BENCH_OUTPUTS` sets another number of outputs.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark, of made-up evidence"
)]
#![allow(clippy::disallowed_methods, reason = "a benchmark measures time, and is told how much to do")]

use ground::{Held, Search, Setting, Shelf, Verdict, judge};
use ledger::{
    ByteSpan, ClaimedValue, Completeness, Digest, FactId, Field, FieldValue, GateRules, IdSpace,
    InvocationId, Locator, Outcome, Output, Reading, Record, RecordId, RecordType, RejectionCode, Seed,
    TaskId, Time, Vocabulary, Writers,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hint::black_box;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

const OUTPUT: usize = 8 << 10;

/// The number of values that are searched for, and how many of them the scan searches for.
const VALUES: usize = 2_000;
const SCANNED: usize = 60;

fn main() {
    // `cargo test` only requires that a bench builds.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let outputs =
        std::env::var("LOCARD_BENCH_OUTPUTS").ok().and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let mut random = Random(1);
    let rules = Rules::new();
    right_citations(&rules, &mut random);
    let shelf = shelf(outputs, OUTPUT, &mut random);
    let (text, stored) = (texts(&shelf), stored(&shelf));
    println!(
        "{outputs} outputs, {} MB stored, {} MB of text",
        stored.len() / 1_000_000,
        text.len() / 1_000_000
    );
    build(&shelf, &rules, text.len(), stored.len());
    let (mut found, mut absent) = (Vec::new(), Vec::new());
    for kind in Kind::ALL {
        let claims: Vec<_> = (0..VALUES).map(|_| kind.claim(&shelf, &mut random)).collect();
        found.extend(look_for(&format!("{kind:?}, present"), &claims, &shelf, &rules));
        let changed: Vec<_> = claims.iter().map(|claim| change(claim, &mut random)).collect();
        absent.extend(look_for(&format!("{kind:?}, one character changed"), &changed, &shelf, &rules));
        let scanned = |text: &[u8], claims: &[Reading]| {
            claims.iter().take(SCANNED).map(|claim| scan(text, &claim.values[0].value)).collect()
        };
        table("  memmem over the texts, present: to the first place", scanned(&text, &claims));
        table("  memmem over the texts, changed: to the end", scanned(&text, &changed));
        table("  memmem over all that is stored, changed: to the end", scanned(&stored, &changed));
    }
    table("all kinds, present", found);
    table("all kinds, one character changed", absent);
}

/// Measures claims that cite the right output of 64 KiB, before and after the shelf has an index.
fn right_citations(rules: &Rules, random: &mut Random) {
    let shelf = shelf(100, 64 << 10, random);
    let mut claims = Vec::new();
    for _ in 0..VALUES {
        let kind = Kind::ALL[random.below(Kind::ALL.len())];
        let (held, record) = pick(&shelf, random, kind.record());
        let mut claim = kind.of(record, random);
        claim.invocation = held.to_string();
        claim.record = Some(record.id.to_string());
        claims.push(claim);
    }
    let without = |claim: &Reading| Reading { record: None, ..claim.clone() };
    look_for("right citation with record, 64 KiB", &claims, &shelf, rules);
    let anywhere: Vec<_> = claims.iter().map(without).collect();
    look_for("right citation without record, 64 KiB", &anywhere, &shelf, rules);
    let unknown = Reading { invocation: "inv-deadbeef".into(), ..without(&claims[0]) };
    black_box(rules.judge(&unknown, &shelf));
    look_for("  the same, with an index", &anywhere, &shelf, rules);
}

/// Measures the first rescue, which builds the index; the fastest of three runs counts, because the machine may be busy.
fn build(shelf: &Shelf, rules: &Rules, text: usize, stored: usize) {
    let claim = Reading {
        fields: Vec::new(),
        predicate: "present".into(),
        subject: String::new(),
        values: vec![ClaimedValue { field: Some("name".into()), value: "no such name anywhere".into() }],
        invocation: "inv-deadbeef".into(),
        record: None,
    };
    let memory = resident();
    let timed = |shelf: &Shelf| {
        let (cpu, start) = (cpu_time(), Instant::now());
        black_box(rules.judge(&claim, shelf));
        (cpu_time().saturating_sub(cpu), start.elapsed())
    };
    let first = timed(shelf);
    let memory = resident().saturating_sub(memory);
    // A copy of a shelf builds its own index.
    let fastest = (0..2).map(|_| timed(&shelf.clone())).fold(first, Ord::min);
    println!(
        "index: {:.2?} of CPU ({:.2?}), {:.0} MB of text and {:.0} MB of outputs per CPU-s; {} MB = {:.1}% of the text, {:.1}% of the outputs",
        fastest.0,
        fastest.1,
        text as f64 / 1e6 / fastest.0.as_secs_f64(),
        stored as f64 / 1e6 / fastest.0.as_secs_f64(),
        memory / 1_000_000,
        memory as f64 * 100.0 / text as f64,
        memory as f64 * 100.0 / stored as f64,
    );
}

/// Judges each claim twice and takes the faster time, because the machine may be busy.
fn look_for(title: &str, claims: &[Reading], shelf: &Shelf, rules: &Rules) -> Vec<Duration> {
    let mut ends: BTreeMap<&str, usize> = BTreeMap::new();
    let mut times = Vec::new();
    for claim in claims {
        let timed = || {
            let start = Instant::now();
            let verdict = black_box(rules.judge(black_box(claim), shelf));
            (start.elapsed(), verdict)
        };
        let ((first, verdict), (second, _)) = (timed(), timed());
        times.push(first.min(second));
        *ends.entry(end(&verdict)).or_default() += 1;
    }
    let ends: Vec<_> = ends.iter().map(|(end, number)| format!("{number} {end}")).collect();
    table(&format!("{title} ({})", ends.join(", ")), times.clone());
    times
}

fn end(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Grounded { healing: None, .. } => "right",
        Verdict::Grounded { healing: Some(_), .. } => "healed",
        Verdict::Refused(rejection) if rejection.code == RejectionCode::Ambiguous => "several",
        Verdict::Refused(rejection) if rejection.candidates.iter().any(|place| place.text.is_some()) => {
            "refused with a text"
        }
        Verdict::Refused(_) => "refused",
    }
}

fn table(title: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100];
    println!("{title:<90} p50 {:>9.1?}  p95 {:>9.1?}  most {:>9.1?}", at(50), at(95), at(100));
}

/// Returns a claim with one letter or digit of its value changed.
fn change(claim: &Reading, random: &mut Random) -> Reading {
    let mut claim = claim.clone();
    let text = &mut claim.values[0].value;
    let places: Vec<_> = text.char_indices().filter(|(_, c)| c.is_ascii_alphanumeric()).collect();
    let (at, old) = places[random.below(places.len())];
    let new = if old.is_ascii_digit() {
        (b'0' + (old as u8 - b'0' + 1) % 10) as char
    } else if old == 'q' {
        'k'
    } else {
        'q'
    };
    text.replace_range(at..at + 1, &new.to_string());
    claim
}

/// Searches the copy of all texts for a text.
fn scan(text: &[u8], value: &str) -> Duration {
    let folded = value.to_lowercase().replace('/', "\\");
    let start = Instant::now();
    black_box(memchr::memmem::find(text, folded.as_bytes()));
    start.elapsed()
}

fn all(shelf: &Shelf) -> impl Iterator<Item = &Arc<Output>> {
    shelf.held().iter().filter_map(|held| held.output.as_ref())
}

/// Returns a copy of what is stored, in lower case and with one kind of separator.
fn stored(shelf: &Shelf) -> Vec<u8> {
    let mut text: Vec<u8> = all(shelf).flat_map(|output| output.bytes()).copied().collect();
    text.make_ascii_lowercase();
    text
}

/// Returns the texts of all values, one after another: what the index holds.
fn texts(shelf: &Shelf) -> Vec<u8> {
    let mut text = Vec::new();
    let values = all(shelf).flat_map(|output| output.records()).flat_map(|record| record.fields.values());
    for field in values {
        text.extend(field.value.to_text().to_lowercase().replace('/', "\\").bytes());
        text.push(b'\n');
    }
    text
}

/// Returns the bytes of memory that the process holds, if the system reports them.
fn resident() -> usize {
    let pages = fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|text| text.split(' ').nth(1)?.parse::<usize>().ok());
    pages.unwrap_or_default() * 4096
}

/// Returns the processor time used so far, if the system reports it.
fn cpu_time() -> Duration {
    let nanoseconds = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = nanoseconds.and_then(|text| text.split(' ').next()?.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or_default())
}

/// The kind of value that is claimed.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Quotation,
    Path,
    Name,
    Time,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Quotation, Kind::Path, Kind::Name, Kind::Time];

    fn record(self) -> &'static str {
        match self {
            Kind::Quotation => "event",
            Kind::Path | Kind::Time => "dir_entry",
            Kind::Name => "registry_value",
        }
    }

    /// Returns a claim that cites no invocation of the task.
    fn claim(self, shelf: &Shelf, random: &mut Random) -> Reading {
        let (_, record) = pick(shelf, random, self.record());
        self.of(record, random)
    }

    fn of(self, record: &Record, random: &mut Random) -> Reading {
        let (predicate, subject, field) = match self {
            Kind::Quotation => ("quoted", "channel", "message"),
            Kind::Path => ("present", "path", "path"),
            Kind::Name => ("configured", "key", "name"),
            Kind::Time => ("present", "path", "modified"),
        };
        let text = record.fields[field].value.to_text().into_owned();
        let value = if let Kind::Quotation = self { piece(&text, random) } else { text };
        let about = random.below(2) == 0 && !matches!(self, Kind::Path);
        Reading {
            fields: Vec::new(),
            predicate: predicate.into(),
            subject: if about { record.fields[subject].value.to_text().into_owned() } else { String::new() },
            values: vec![ClaimedValue { field: Some(field.into()), value }],
            invocation: "inv-deadbeef".into(),
            record: None,
        }
    }
}

/// Returns some whole words of a text, 6 to 60 bytes if there are as many.
fn piece(text: &str, random: &mut Random) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let (from, length) = (random.below(words.len()), 6 + random.below(55));
    let mut piece = words[from].to_owned();
    for word in &words[from + 1..] {
        if piece.len() >= 6 && piece.len() + word.len() > length {
            break;
        }
        piece = format!("{piece} {word}");
    }
    if piece.len() < 6 { text.to_owned() } else { piece }
}

/// Returns a record of a kind, with the invocation that returned it.
fn pick<'s>(shelf: &'s Shelf, random: &mut Random, kind: &str) -> (InvocationId, &'s Record) {
    loop {
        let held = &shelf.held()[random.below(shelf.held().len())];
        let records = held.output.as_ref().unwrap().records();
        let record = &records[random.below(records.len())];
        if record.kind == kind {
            return (held.invocation, record);
        }
    }
}

struct Rules {
    rules: GateRules,
    vocabulary: Vocabulary,
    writers: Writers,
    types: BTreeMap<String, RecordType>,
}

impl Rules {
    fn new() -> Rules {
        let kind = |(name, subject): (&str, &str)| RecordType {
            name: name.into(),
            meaning: String::new(),
            subject: subject.into(),
            fields: BTreeMap::new(),
            qualifiers: Vec::new(),
            scope: Vec::new(),
        };
        let types = [("event", "channel"), ("dir_entry", "path"), ("registry_value", "key")];
        let types = types.map(|pair| (pair.0.to_owned(), kind(pair))).into();
        Rules {
            rules: GateRules::default(),
            vocabulary: Vocabulary::shipped().unwrap(),
            writers: Writers::shipped().unwrap(),
            types,
        }
    }

    fn judge(&self, reading: &Reading, shelf: &Shelf) -> Verdict {
        let setting = Setting {
            rules: &self.rules,
            vocabulary: &self.vocabulary,
            types: &self.types,
            writers: &self.writers,
            by_reference: true,
            dated: true,
        };
        judge(reading, FactId::assign(&space(), TaskId(1), 0).unwrap(), shelf, &setting)
    }
}

fn space() -> IdSpace {
    IdSpace::new(Seed(Digest::of(b"bench")))
}

fn shelf(outputs: usize, bytes: usize, random: &mut Random) -> Shelf {
    let words = words();
    let mut shelf = Shelf::default();
    for ordinal in 0..outputs {
        let kind = random.below(3);
        let (mut records, mut size) = (Vec::new(), 0);
        let folder = folder(words, random);
        while size < bytes {
            let fields = match kind {
                0 => event(words, random),
                1 => entry(&folder, words, random),
                _ => value(&folder, words, random),
            };
            let fields = fields.into_iter().map(|(name, value)| {
                (name.to_owned(), Field { at: Some(ByteSpan::new(size as u64, 64)), value })
            });
            let locator = Locator {
                evidence: "disk".into(),
                path: "Windows/System32/config/SOFTWARE".into(),
                stream: None,
                span: Some(ByteSpan::new((ordinal * bytes + size) as u64, 64)),
            };
            let record = Record {
                placement: None,
                defects: Vec::new(),
                fields: fields.collect(),
                id: RecordId(0),
                kind: ["event", "dir_entry", "registry_value"][kind].into(),
                locator,
            };
            size += serde_json::to_vec(&record).unwrap().len();
            records.push(record);
        }
        shelf.push(Held {
            invocation: InvocationId::assign(&space(), TaskId(1), ordinal as u32).unwrap(),
            summary: format!("read part={ordinal}"),
            search: Search {
                logs: None,
                near: Vec::new(),
                tool: "read".into(),
                arguments: None,
                completeness: Completeness::Complete,
                whole: true,
            },
            outcome: Outcome::Ok,
            output: Some(Arc::new(Output::new(records).unwrap())),
            shown: Vec::new(),
        });
    }
    shelf
}

/// Returns real words, so that letters follow each other as in real texts.
fn words() -> &'static [&'static str] {
    static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let texts = [
            include_str!("../../../ARCHITECTURE.md"),
            include_str!("../../../CHANGELOG.md"),
            include_str!("../../../docs/agents.md"),
            include_str!("../../../docs/json.md"),
            include_str!("../../../docs/rules.md"),
            include_str!("../../../docs/validation.md"),
            include_str!("../../ledger/data/predicates.toml"),
        ];
        let words = texts.into_iter().flat_map(|text| text.split(|c: char| !c.is_ascii_alphabetic()));
        words.filter(|word| (3..=14).contains(&word.len())).collect::<BTreeSet<_>>().into_iter().collect()
    });
    &WORDS
}

fn folder(words: &[&str], random: &mut Random) -> String {
    let root = random.of(&[
        r"Windows\System32",
        r"Windows\WinSxS",
        r"Program Files",
        r"Users\bob\AppData\Local",
        "ProgramData",
    ]);
    format!(r"{root}\{}\{}", random.of(words), random.of(words))
}

fn event(words: &[&str], random: &mut Random) -> Vec<(&'static str, FieldValue)> {
    let message = match random.below(4) {
        0 => format!(
            "The {} Service service entered the {} state.",
            random.of(words),
            random.of(&["stopped", "running"])
        ),
        1 => format!(
            r"A new process has been created. Security ID: S-1-5-21-1004336348-1177238915-682003330-{} Account Name: {} New Process Name: C:\{}\{}.exe Process Command Line: {}.exe -{} {} --{}={}",
            1000 + random.below(40),
            random.of(words),
            folder(words, random),
            random.of(words),
            random.of(words),
            random.of(words),
            random.below(1 << 30),
            random.of(words),
            random.of(words)
        ),
        2 => format!(
            "Installation Successful: Windows successfully installed the following update: {} {} (KB{})",
            random.of(words),
            random.of(words),
            random.below(9_000_000)
        ),
        _ => (0..12).map(|_| *random.of(words)).collect::<Vec<_>>().join(" "),
    };
    vec![
        ("channel", FieldValue::Name(random.of(&["System", "Security", "Application", "Setup"]).to_string())),
        ("computer", FieldValue::Name("WKS-0042.corp.example".into())),
        ("event_id", FieldValue::Integer(4_000 + random.below(900) as i128)),
        ("message", FieldValue::Text(message)),
        ("provider", FieldValue::Name(format!("Microsoft-Windows-{}", random.of(words)))),
        ("record_number", FieldValue::Integer(random.below(1 << 40) as i128)),
        ("time", random.time()),
    ]
}

fn entry(folder: &str, words: &[&str], random: &mut Random) -> Vec<(&'static str, FieldValue)> {
    let name = format!(
        "{}{}.{}",
        random.of(words),
        random.below(1000),
        random.of(&["dll", "exe", "log", "dat", "mui"])
    );
    let changed = random.time();
    vec![
        ("accessed", random.time()),
        ("born", random.time()),
        ("changed", changed.clone()),
        ("directory", FieldValue::Flag(false)),
        ("modified", changed),
        ("name", FieldValue::Name(name.clone())),
        ("path", FieldValue::Path(format!(r"C:\{folder}\{name}"))),
        ("size", FieldValue::Size(random.below(1 << 24) as u64)),
    ]
}

fn value(folder: &str, words: &[&str], random: &mut Random) -> Vec<(&'static str, FieldValue)> {
    let data = match random.below(3) {
        0 => FieldValue::Text(format!(r"C:\{folder}\{}.exe --{}", random.of(words), random.of(words))),
        1 => FieldValue::Integer(random.below(1 << 30) as i128),
        _ => FieldValue::Text(format!(
            "{{{:08x}-4b17-11d2-a3c5-{:012x}}}",
            random.below(1 << 32),
            random.below(1 << 48)
        )),
    };
    vec![
        ("data", data),
        ("key", FieldValue::RegistryPath(format!(r"HKLM\SOFTWARE\{folder}"))),
        ("last_written", random.time()),
        ("name", FieldValue::Name(format!("{}{}", random.of(words), random.of(words)))),
    ]
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn of<'l, T>(&mut self, all: &'l [T]) -> &'l T {
        // Few words are frequent, as in every text.
        let (one, other) = (self.below(all.len()), self.below(all.len()));
        &all[one * other / all.len()]
    }

    fn time(&mut self) -> FieldValue {
        FieldValue::Time(Time::from_filetime(
            130_000_000_000_000_000 + (self.next() % 20_000_000_000_000_000),
        ))
    }
}
