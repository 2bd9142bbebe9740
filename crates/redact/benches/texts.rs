//! Speed of searching texts for withheld values.
#![allow(missing_docs, clippy::unwrap_used, reason = "a bench fails by panicking")]

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use ledger::KeyMaker;
use redact::{Profile, Redactor, redact};
use testkit::history::History;

fn main() {
    divan::main();
}

/// Creates a redactor with as many values as a run over a few hosts gathers, and the forms of `people`.
fn redactor() -> Redactor {
    let values: Vec<String> = (0..300)
        .flat_map(|n| {
            [format!("ALDER-{n:03}"), format!("Mara Ellingsen {n}"), format!("10.20.{}.{n}", n / 9)]
        })
        .collect();
    let find = "find = [\"sid\", \"mail\", \"address\", \"mac\", \"profile-folder\", \"unc-host\"]";
    let profile = Profile::parse("bench", &format!("values = {values:?}\n{find}")).unwrap();
    let events = History::opened("T").events();
    let recorded = graph::fold(events.iter().cloned()).unwrap();
    redact(&events, recorded, &KeyMaker::default().finish(), &|_| None, &profile).unwrap().redactor
}

/// Returns texts of 50 MB in total: paths, command lines, hashes, log lines, words in other alphabets.
fn texts(kind: &str) -> Vec<String> {
    let text = |n: usize| match kind {
        "paths" => format!(r"C:\Users\user{n}\AppData\Local\Temp\{n:x}\setup-{n}.exe"),
        "sentences" => format!(
            "The service number {n} was installed on a host by an account, and started at 2025-03-04T05:06:{:02}Z.",
            n % 60
        ),
        "hashes" => format!("{:064x}", n as u128 * 0x1234_5678_9abc_def0_1234_5678),
        "escaped" => format!(
            r"powershell -c \u0022Get-Item C:\\Windows\\{n}\u0022 https://example.org/a%20b?q={n}&amp;x=1"
        ),
        _ => format!("Служба номер {n} установлена на узле, größer als {n}"),
    };
    let mut all = Vec::new();
    let mut bytes = 0;
    while bytes < 50_000_000 {
        // Each as long as a log line with its neighbours.
        let one = (0..8).map(|k| text(all.len() * 8 + k)).collect::<Vec<_>>().join("\n");
        bytes += one.len();
        all.push(one);
    }
    all
}

#[divan::bench(args = ["paths", "sentences", "hashes", "escaped", "alphabets"], sample_count = 3, sample_size = 1)]
fn search(bencher: Bencher<'_, '_>, kind: &str) {
    let (redactor, texts) = (redactor(), texts(kind));
    bencher.counter(BytesCount::new(texts.iter().map(String::len).sum::<usize>())).bench_local(|| {
        for text in &texts {
            black_box(redactor.text(text));
        }
    });
}
