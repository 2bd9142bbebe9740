//! How calls end, confined and unconfined.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test that cannot go on must stop"
)]

use crate::common;

use common::{Bench, short};
use sandbox::{
    CallError, Canceller, Config, Ending, FrameError, Holding, LayerName, Limits, Missing, Policy,
};
use sandbox::{Reason, SpawnError, WORKER_ARGUMENT, Zygote, ZygoteExit, probe};
use std::process::{Command, Stdio};
use std::time::Duration;

const BOTH: [Policy; 2] = [Policy::Required, Policy::Unconfined];

#[test]
fn a_request_comes_back() {
    for policy in BOTH {
        let mut bench = Bench::new(policy);
        assert_eq!(bench.ask("echo hello"), "ok hello");
        assert_eq!(bench.report("zeros 0").ending, Ending::Replied(Vec::new()));
        let long = "x".repeat(3 << 20);
        assert_eq!(bench.ask(&format!("echo {long}")), format!("ok {long}"));
    }
}

#[test]
fn a_thousand_calls_leave_nothing_behind() {
    let mut bench = Bench::new(Policy::Required);
    let first = bench.zygote.process_id();
    for number in 0..1000 {
        assert_eq!(bench.ask(&format!("echo {number}")), format!("ok {number}"));
    }
    assert_eq!(bench.zygote.process_id(), first);
    assert_eq!(bench.scratch_folders(), 0);
}

#[test]
fn what_kills_one_call_leaves_the_next_alone() {
    // Rust turns a stack overflow into an abort if it knows the stack's guard page: not for the first thread under musl.
    let overflow = if cfg!(target_env = "musl") { libc::SIGSEGV } else { libc::SIGABRT };
    for policy in BOTH {
        let mut bench = Bench::new(policy);
        for (request, signal) in [("abort", libc::SIGABRT), ("crash", libc::SIGSEGV), ("overflow", overflow)]
        {
            assert_eq!(bench.report(request).ending, Ending::Signalled { signal }, "{request}");
            assert_eq!(bench.ask("echo next"), "ok next");
        }
        assert_eq!(bench.report("exit 7").ending, Ending::Exited { code: 7 });
        assert_eq!(bench.ask("echo next"), "ok next");
    }
}

#[test]
fn a_panic_tells_its_message_and_place() {
    let mut bench = Bench::new(Policy::Required);
    let Ending::Panicked { message } = bench.report("panic cell size is 0").ending else {
        panic!("not a panic");
    };
    assert!(message.starts_with("cell size is 0 ("), "{message}");
    assert!(message.contains("sandbox-probe"), "{message}");
    let Ending::Panicked { message } = bench.report("panic-long").ending else { panic!("not a panic") };
    assert!((1020..=1024).contains(&message.len()), "{}", message.len());
}

#[test]
fn the_wall_clock_ends_a_call_that_ignores_signals_or_has_children() {
    for policy in BOTH {
        let mut bench = Bench::new(policy);
        let limits = short();
        for request in ["spin", "spin-deaf", "spin-brood"] {
            let report = bench.zygote.call(request.as_bytes(), &limits).unwrap();
            assert_eq!(report.ending, Ending::TimedOut { limit: limits.wall }, "{request}");
            assert!(report.usage.wall >= limits.wall);
        }
        assert_eq!(bench.ask("echo next"), "ok next");
        assert_eq!(bench.scratch_folders(), 0);
    }
}

#[test]
fn resource_limits_end_a_call() {
    for policy in BOTH {
        let mut bench = Bench::new(policy);
        let report = bench.report("allocate");
        assert_eq!(report.ending, Ending::Signalled { signal: libc::SIGABRT });
        let words = String::from_utf8_lossy(&report.stderr).into_owned();
        assert!(words.contains("memory allocation of 67108864 bytes failed"), "{words}");

        let limits = Limits { cpu_seconds: 1, ..Limits::default() };
        let report = bench.zygote.call(b"spin", &limits).unwrap();
        assert_eq!(report.ending, Ending::Signalled { signal: libc::SIGXCPU });
        // How much of it the kernel counts depends on what else runs; that it counts some does not.
        assert!(report.usage.user + report.usage.system > Duration::ZERO);

        let limits = Limits { file_size: 1 << 20, ..Limits::default() };
        let report = bench.zygote.call(b"fill", &limits).unwrap();
        assert_eq!(report.ending, Ending::Signalled { signal: libc::SIGXFSZ });

        assert_eq!(bench.ask("limit-files"), format!("errno {}", libc::EMFILE));
        assert_eq!(bench.scratch_folders(), 0);
    }
}

#[test]
fn a_reply_above_its_limit_is_refused_whoever_counts() {
    let mut bench = Bench::new(Policy::Required);
    let limits = Limits { reply_bytes: 100_000, ..Limits::default() };
    let mut ask = |request: &str| bench.zygote.call(request.as_bytes(), &limits).unwrap().ending;
    assert_eq!(ask("zeros 100000"), Ending::Replied(vec![0; 100_000]));
    assert_eq!(ask("zeros 100001"), Ending::ReplyTooLarge { limit: 100_000 });
    assert_eq!(ask("flood"), Ending::ReplyTooLarge { limit: 100_000 });
    assert_eq!(ask("echo next"), Ending::Replied(b"ok next".to_vec()));
}

#[test]
fn a_reply_goes_from_file_to_file_and_a_failed_call_leaves_no_reply_in_memory() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("reply");
    let into = std::fs::File::options().read(true).write(true).create_new(true).open(&path).unwrap();
    for policy in BOTH {
        let mut bench = Bench::new(policy);
        for length in [3_000_000, 70_000, 0] {
            let request = format!("file {length}");
            let report = bench.zygote.call_into(request.as_bytes(), &Limits::default(), &into).unwrap();
            assert_eq!(report.ending, Ending::Replied(Vec::new()));
            let bytes = std::fs::read(&path).unwrap();
            assert_eq!(bytes, [&vec![0; length][..], b"behind"].concat());
            // The same, in memory.
            let report = bench.zygote.call(request.as_bytes(), &Limits::default()).unwrap();
            assert_eq!(report.ending, Ending::Replied(bytes));
        }
        let limits = Limits { reply_bytes: 1000, ..Limits::default() };
        let ended = |bench: &mut Bench, request: &[u8]| {
            bench.zygote.call_into(request, &limits, &into).unwrap().ending
        };
        assert_eq!(ended(&mut bench, b"file 995"), Ending::ReplyTooLarge { limit: 1000 });
        let Ending::Panicked { message } = ended(&mut bench, b"panic no") else { panic!("not a panic") };
        assert!(message.starts_with("no ("), "{message}");
        let said = bench.zygote.call_into(b"print LKWF", &limits, &into).unwrap();
        assert_eq!((said.stderr, std::fs::read(&path).unwrap()), (b"LKWF".to_vec(), b"ok ".to_vec()));
        let read_only = std::fs::File::open(&path).unwrap();
        let failed = bench.zygote.call_into(b"file 9", &Limits::default(), &read_only);
        assert!(matches!(failed, Err(CallError::Keep { .. })), "{failed:?}");
        assert_eq!(bench.ask("echo next"), "ok next");
    }
}

#[test]
fn a_forged_reply_is_told_from_a_reply() {
    let mut bench = Bench::new(Policy::Required);
    let forged = bench.report("forge this is not a frame").ending;
    assert_eq!(forged, Ending::BadReply { defect: FrameError::Magic { actual: *b"this" } });
    let silent = bench.report("exit 0").ending;
    assert_eq!(silent, Ending::BadReply { defect: FrameError::Length { expected: 16, actual: 0 } });
    assert_eq!(bench.ask("echo next"), "ok next");
}

#[test]
fn a_stray_print_does_not_reach_the_reply() {
    let mut bench = Bench::new(Policy::Required);
    let report = bench.report("print LKWF");
    assert_eq!(report.ending, Ending::Replied(b"ok ".to_vec()));
    assert_eq!(report.stderr, b"LKWF");
}

#[test]
fn a_call_inherits_neither_environment_nor_descriptors() {
    let mut bench = Bench::new(Policy::Required);
    assert_eq!(bench.ask("environment"), "ok 0");
    assert_eq!(bench.ask("open-files"), "ok 0 1 2 3");
}

#[test]
fn usage_is_counted() {
    let mut bench = Bench::new(Policy::Required);
    let usage = bench.report("zeros 50000000").usage;
    assert!(usage.wall > Duration::ZERO && usage.user + usage.system > Duration::ZERO);
    assert!(usage.peak_rss_kib > 0);
}

#[test]
fn a_zygote_killed_between_calls_is_replaced() {
    let mut bench = Bench::new(Policy::Required);
    for _ in 0..10 {
        bench.kill_zygote();
        assert_eq!(bench.ask("echo next"), "ok next");
    }
}

#[test]
fn a_zygote_killed_during_a_call_ends_that_call_only() {
    let mut bench = Bench::new(Policy::Required);
    let killer = bench.kill_zygote_once_a_call_runs();
    let report = bench.report("spin");
    killer.join().unwrap();
    assert_eq!(report.ending, Ending::ZygoteDied { exit: ZygoteExit::Signal(libc::SIGKILL) });
    assert_eq!(bench.scratch_folders(), 0);
    assert_eq!(bench.ask("echo next"), "ok next");
}

#[test]
fn a_hung_zygote_is_given_up_after_the_limit_and_its_grace() {
    let mut bench = Bench::new(Policy::Required);
    bench.stop_zygote();
    let report = bench.zygote.call(b"echo late", &short()).unwrap();
    assert_eq!(report.ending, Ending::TimedOut { limit: short().wall });
    assert_eq!(bench.ask("echo next"), "ok next");
}

#[test]
fn three_deaths_without_a_reply_are_an_error() {
    // Only an unconfined call can reach its zygote.
    let mut bench = Bench::new(Policy::Unconfined);
    let died = Ending::ZygoteDied { exit: ZygoteExit::Signal(libc::SIGKILL) };
    for _ in 0..2 {
        // If a zygote dies before it could report that the call's process runs, it is replaced and counted, and the call is repeated.
        let mut reports = 0;
        let last = loop {
            match bench.zygote.call(b"kill-zygote", &Limits::default()) {
                Ok(report) => assert_eq!(report.ending, died),
                Err(error) => break error,
            }
            reports += 1;
            assert!(reports < 3, "the third death is an error");
        };
        let CallError::ZygoteKeepsDying { deaths: 3, last: ZygoteExit::Signal(libc::SIGKILL) } = last else {
            panic!("{last:?}");
        };
        assert_eq!(bench.ask("echo next"), "ok next");
    }
}

#[test]
fn a_cancellation_ends_the_running_call_and_holds_until_it_is_taken_back() {
    let mut bench = Bench::new(Policy::Required);
    let canceller: Canceller = bench.zygote.canceller();
    let other = canceller.clone();
    let watcher = bench.once_a_call_runs(move || other.cancel());
    assert_eq!(bench.report("spin").ending, Ending::Cancelled);
    watcher.join().unwrap();
    assert_eq!(bench.report("echo never").ending, Ending::Cancelled);
    canceller.rearm();
    assert_eq!(bench.ask("echo next"), "ok next");
}

#[test]
fn a_worker_outlives_the_thread_that_started_it() {
    let mut bench = std::thread::spawn(|| Bench::new(Policy::Required)).join().unwrap();
    let first = bench.zygote.process_id();
    assert_eq!(bench.ask("echo next"), "ok next");
    assert_eq!(bench.zygote.process_id(), first);
}

#[test]
fn a_worker_ends_when_its_parent_goes_away() {
    let mut worker = Command::new(env!("CARGO_BIN_EXE_sandbox-probe"))
        .arg(WORKER_ARGUMENT)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(worker.stdin.take());
    assert!(worker.wait().unwrap().success());
}

#[test]
fn words_of_one_call_do_not_reach_the_next() {
    let mut bench = Bench::new(Policy::Required);
    assert_eq!(bench.report(&format!("print {}", "x".repeat(100_000))).stderr, vec![b'x'; 4096]);
    assert_eq!(bench.report("print short").stderr, b"short");
    assert_eq!(bench.report("echo nothing").stderr, b"");
}

#[test]
fn what_a_call_was_doing_is_told_when_it_breaks() {
    for policy in BOTH {
        let mut bench = Bench::new(policy);
        for (request, ending) in [
            ("doing hive panic why", Ending::Panicked { message: String::new() }),
            ("doing hive abort", Ending::Signalled { signal: libc::SIGABRT }),
            ("doing hive overflow", Ending::Signalled { signal: libc::SIGABRT }),
            ("doing hive exit 7", Ending::Exited { code: 7 }),
        ] {
            let report = bench.report(request);
            assert_eq!(
                std::mem::discriminant(&report.ending),
                std::mem::discriminant(&ending),
                "{request}: {report:?}"
            );
            assert_eq!(report.doing, b"hive", "{request}");
        }
        let both = bench.report(&format!("doing {} abort", "x".repeat(5000)));
        assert_eq!(both.doing, vec![b'x'; 4096]);
        assert_eq!(bench.report("abort").doing, b"", "nothing of the call before");
        assert_eq!(bench.report("doing hive echo well").doing, b"", "it has replied");
    }
}

#[test]
fn what_a_call_was_doing_is_not_read_through_a_link() {
    let mut bench = Bench::new(Policy::Unconfined);
    let report = bench.report("doing-link /etc/passwd");
    assert_eq!((report.ending, report.doing), (Ending::Signalled { signal: libc::SIGABRT }, Vec::new()));
}

#[test]
fn two_workers_share_a_scratch_root() {
    let mut first = Bench::new(Policy::Required);
    let mut second = first.second();
    for _ in 0..20 {
        assert_eq!(first.ask("list-scratch"), "ok ");
        assert_eq!(Bench::ask_of(&mut second, "list-scratch"), "ok ");
    }
}

#[test]
fn without_confinement_nothing_starts_unless_asked_for() {
    let mut probed = probe();
    probed.landlock = Holding::Missing(Reason::SwitchedOff);
    let home = tempfile::tempdir().unwrap();
    let config = |confinement| Config {
        program: env!("CARGO_BIN_EXE_sandbox-probe").into(),
        readable: Vec::new(),
        scratch_root: home.path().join("scratch"),
        confinement,
    };
    match Zygote::spawn_probed(config(Policy::Required), &probed).map(drop) {
        Err(SpawnError::ConfinementUnavailable { missing }) => {
            assert_eq!(missing, [Missing { layer: LayerName::Landlock, reason: Reason::SwitchedOff }]);
        }
        other => panic!("{other:?}"),
    }
    let zygote = Zygote::spawn_probed(config(Policy::Unconfined), &probed).unwrap();
    assert_eq!(zygote.confinement().landlock, Holding::Missing(Reason::NotRequested));
}

#[test]
fn a_program_that_is_no_worker_and_a_path_that_is_not_there_are_told_apart() {
    let home = tempfile::tempdir().unwrap();
    let config = |program: &str, readable: &str| Config {
        program: program.into(),
        readable: vec![readable.into()],
        scratch_root: home.path().join("scratch"),
        confinement: Policy::Required,
    };
    let probe = env!("CARGO_BIN_EXE_sandbox-probe");
    let spawn = |config| Zygote::spawn(config).map(drop);
    assert!(matches!(spawn(config("/bin/true", "/")), Err(SpawnError::Died { .. })));
    assert!(matches!(spawn(config("/not/there", "/")), Err(SpawnError::Run { .. })));
    assert!(matches!(spawn(config(probe, "/not/there")), Err(SpawnError::Path { .. })));
}
