//! Cost of one call: fork, confinement, reply, clean-up.

#![expect(clippy::expect_used, reason = "a benchmark that cannot run must stop")]

use divan::{Bencher, black_box};
use sandbox::{Config, Ending, Limits, Policy, Zygote};
use tempfile::TempDir;

fn main() {
    divan::main();
}

fn worker(confinement: Policy) -> (Zygote, TempDir) {
    let home = tempfile::tempdir().expect("a temporary folder");
    let config = Config {
        program: env!("CARGO_BIN_EXE_sandbox-probe").into(),
        readable: vec![home.path().to_owned()],
        scratch_root: home.path().join("scratch"),
        confinement,
    };
    (Zygote::spawn(config).expect("a worker"), home)
}

fn measure(bencher: Bencher<'_, '_>, confinement: Policy, bytes: usize) {
    let (mut zygote, _home) = worker(confinement);
    let request = format!("zeros {bytes}");
    bencher.bench_local(|| {
        let report = zygote.call(black_box(request.as_bytes()), &Limits::default()).expect("a report");
        assert!(matches!(&report.ending, Ending::Replied(reply) if reply.len() == bytes));
        report
    });
}

#[divan::bench(args = [0, 1 << 20])]
fn confined(bencher: Bencher<'_, '_>, bytes: usize) {
    measure(bencher, Policy::Required, bytes);
}

#[divan::bench(args = [0, 1 << 20])]
fn unconfined(bencher: Bencher<'_, '_>, bytes: usize) {
    measure(bencher, Policy::Unconfined, bytes);
}
