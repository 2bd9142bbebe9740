//! The escape campaign: what a taken-over call may try, and how each attempt ends.
//!
//! Each row is an attempt, and a row of the table in `docs/sandbox.md`.
//! Attempts that succeed without confinement are also made without it: an attempt that fails anyway would prove nothing.

use crate::common::{Bench, is_administrator};
use sandbox::{Ending, Holding, Limits, Policy, probe};
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

/// How an attempt ends.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    /// The call gets an error for it, and continues.
    Denied,
    /// The process is killed for trying.
    Killed,
    /// The call gets this error: the resource is used up.
    Short(i32),
    /// A signal of the kernel ends the process.
    Signal(i32),
    /// The wall clock ends it.
    TimedOut,
    /// It wrote more than a reply may have.
    TooLong,
    /// The name does not exist if the root is hidden; otherwise it succeeds.
    Hidden,
    /// It succeeds: what it does is harmless.
    Open,
}

/// Whether the attempt succeeds without confinement.
#[derive(Clone, Copy, PartialEq)]
enum Free {
    Succeeds,
    /// It needs rights or a system that the tests may not have, or would harm the machine.
    NotTried,
}

use Ends::{Denied, Hidden, Killed, Open, Short, Signal, TimedOut, TooLong};
use Free::{NotTried, Succeeds};

/// The attempt in words, the request (`{…}` is filled in), how it ends, whether it succeeds unconfined.
type Row = (&'static str, &'static str, Ends, Free);

const FILES: &[Row] = &[
    ("open a file outside", "read {outside}/file", Denied, Succeeds),
    ("open one through a link in the evidence", "read {evidence}/link", Denied, Succeeds),
    ("open one through `..`", "read {evidence}/../outside/file", Denied, Succeeds),
    ("open one by `openat2`", "open-how {outside}/file", Denied, Succeeds),
    ("open one by a handle (`open_by_handle_at`)", "handle {outside}/file", Killed, NotTried),
    (
        "read one through a descriptor that only names it",
        "read-through-path {outside}/file",
        Denied,
        Succeeds,
    ),
    ("list a folder outside", "list {outside}", Denied, Succeeds),
    ("list `/proc`", "list /proc", Denied, Succeeds),
    ("read the memory of the own process by `/proc`", "read /proc/self/maps", Denied, Succeeds),
    ("list the scratch folders of others", "list {scratch}", Denied, Succeeds),
    ("write into the evidence", "write {evidence}/file", Denied, Succeeds),
    ("write to it through a shared mapping", "shared-map {evidence}/file", Denied, NotTried),
    ("cut it short", "truncate {evidence}/file", Denied, Succeeds),
    ("cut it short by opening it to read", "truncate-open {evidence}/file", Denied, Succeeds),
    ("make a file in it", "create {evidence}/new", Denied, Succeeds),
    ("make a folder in it", "make-folder {evidence}/folder", Denied, Succeeds),
    ("rename in it", "rename {evidence}/renamed", Denied, Succeeds),
    ("move a file of it to scratch", "take {evidence}/moved", Denied, Succeeds),
    ("link a file of it into scratch", "hard-link {evidence}/file", Denied, Succeeds),
    ("remove from it", "unlink {evidence}/removed", Denied, Succeeds),
    ("change its mode", "chmod {evidence}/file", Denied, Succeeds),
    ("change its mode by a descriptor", "fchmod {evidence}/file", Denied, Succeeds),
    ("change its owner", "chown {evidence}/file", Denied, NotTried),
    ("change its times", "utimensat {evidence}/file", Denied, Succeeds),
    ("set an attribute", "setxattr {evidence}/file", Denied, NotTried),
    ("write outside", "write {outside}/file", Denied, Succeeds),
    ("make a file outside", "create {outside}/new", Denied, Succeeds),
    ("make a file in the scratch root", "create {scratch}/new", Denied, Succeeds),
    ("make a symbolic link", "link /etc/passwd", Denied, Succeeds),
    ("make a device", "make-node", Denied, NotTried),
    ("type into a terminal (`ioctl`)", "ioctl x", Denied, NotTried),
    ("change the folder", "chdir /", Denied, Succeeds),
    ("change the root", "chroot {outside}", Killed, NotTried),
    ("mount", "mount {outside}", Killed, NotTried),
    ("watch files (`inotify`)", "watch", Denied, Succeeds),
    ("watch files (`fanotify`)", "watch-all", Denied, NotTried),
];

const NETWORK: &[Row] = &[
    ("connect over TCP", "tcp {tcp}", Denied, Succeeds),
    ("listen on TCP", "listen", Denied, Succeeds),
    ("send over UDP", "udp {udp}", Denied, Succeeds),
    ("connect to an abstract socket", "abstract {abstract}", Denied, Succeeds),
    ("connect to a socket that has a path", "unix-path {outside}/socket", Denied, Succeeds),
    ("make a pair of sockets", "unix", Denied, Succeeds),
    ("raw socket", "raw", Denied, NotTried),
    ("packet socket", "packet", Denied, NotTried),
    ("netlink", "netlink", Denied, Succeeds),
    ("socket of virtual machines", "vsock", Denied, NotTried),
    ("socket of the kernel's ciphers", "crypto", Denied, NotTried),
];

const PROCESSES: &[Row] = &[
    ("fork", "fork", Denied, Succeeds),
    ("`clone3`", "clone3", Denied, Succeeds),
    ("execute a program", "exec /bin/true", Killed, NotTried),
    ("execute by a descriptor", "exec-at /bin/true", Killed, NotTried),
    ("trace itself", "ptrace", Killed, Succeeds),
    ("trace the parent", "ptrace-parent", Killed, NotTried),
    ("read the parent's memory", "read-memory", Killed, NotTried),
    ("write the parent's memory", "write-memory", Killed, NotTried),
    ("take a descriptor of another process", "take-descriptor", Killed, NotTried),
    ("signal the parent", "kill-parent", Denied, NotTried),
    ("signal the program", "kill {parent}", Denied, Succeeds),
    ("signal everybody", "kill-all", Denied, Succeeds),
    ("signal a thread of the parent", "kill-thread", Denied, NotTried),
    ("signal with a value", "kill-queue", Denied, NotTried),
    ("signal by a handle", "kill-handle", Denied, NotTried),
    ("get a handle of the parent", "open-process", Denied, Succeeds),
    ("have the kernel signal for it (`F_SETOWN`)", "own-signals {parent}", Denied, Succeeds),
    ("leave the group that is killed as one", "leave-session", Denied, NotTried),
    ("change the group", "leave-group", Denied, Succeeds),
    ("outlive the parent (`PR_SET_PDEATHSIG`)", "outlive", Denied, Succeeds),
    ("let others attach (`PR_SET_DUMPABLE`)", "dumpable", Denied, Succeeds),
];

const RIGHTS: &[Row] = &[
    ("become the administrator", "administrator", Denied, NotTried),
    ("change groups", "groups", Denied, NotTried),
    ("take all capabilities", "capabilities", Denied, NotTried),
    ("raise a limit", "raise-limit", Denied, NotTried),
    ("raise the priority", "priority", Denied, NotTried),
    ("take the processor for good", "schedule", Denied, NotTried),
    ("make files for everybody (`umask`)", "umask", Denied, Succeeds),
    ("install another filter", "another-filter", Denied, NotTried),
    ("make code of fresh memory", "code", Denied, Succeeds),
    ("make code of a file", "code-of-file", Denied, Succeeds),
    ("make code of written memory", "code-later", Denied, Succeeds),
    ("the same by `pkey_mprotect`", "code-keyed", Denied, NotTried),
    ("the same by `personality`", "personality", Denied, Succeeds),
    ("make a file without a name (`memfd`)", "nameless-file", Denied, Succeeds),
];

const KERNEL: &[Row] = &[
    ("make a namespace", "unshare", Killed, NotTried),
    ("join a namespace", "join", Killed, NotTried),
    ("`io_uring`", "io-uring", Killed, NotTried),
    ("BPF", "bpf", Killed, NotTried),
    ("performance counters", "perf", Killed, NotTried),
    ("`userfaultfd`", "faults", Killed, NotTried),
    ("keyrings", "keys", Killed, NotTried),
    ("load a module", "module", Killed, NotTried),
    ("set the clock", "clock", Killed, NotTried),
    ("restart the machine", "reboot", Killed, NotTried),
    ("read the kernel's log", "log", Denied, NotTried),
    ("name the machine", "name-host", Denied, NotTried),
    ("shared memory of System V", "shared-memory", Denied, Succeeds),
    ("message queue of System V", "messages", Denied, Succeeds),
    ("message queue of POSIX", "queue", Denied, NotTried),
];

const RESOURCES: &[Row] = &[
    ("allocate 100 GiB", "reserve 107374182400", Short(libc::ENOMEM), NotTried),
    ("allocate without end", "allocate", Signal(libc::SIGABRT), NotTried),
    ("lock memory", "lock-memory", Denied, NotTried),
    ("recurse without end", "overflow", Signal(OVERFLOW), NotTried),
    ("spin", "spin", TimedOut, NotTried),
    ("spin, deaf to signals", "spin-deaf", TimedOut, NotTried),
    ("sleep", "sleep", TimedOut, NotTried),
    ("stop itself", "stop", TimedOut, NotTried),
    ("flood the reply", "flood", TooLong, NotTried),
    ("flood standard error", "flood-errors", Open, NotTried),
    ("write one file without end", "fill", Signal(libc::SIGXFSZ), NotTried),
    ("open files without end", "limit-files", Short(libc::EMFILE), NotTried),
    ("nest folders", "deep 500", Open, NotTried),
];

/// What remains possible, each harmless as far as we know.
const LEFT: &[Row] = &[
    ("ask for size and times of a file outside", "stat {outside}/file", Hidden, Succeeds),
    ("ask where a link outside leads", "readlink /proc/self/exe", Hidden, Succeeds),
    ("get a descriptor that only names a file outside", "open-path {outside}/file", Hidden, Succeeds),
];

const TABLES: [&[Row]; 7] = [FILES, NETWORK, PROCESSES, RIGHTS, KERNEL, RESOURCES, LEFT];

const HEADINGS: [&str; 7] =
    ["Files", "Network", "Processes", "Rights and code", "The kernel", "Resources", "What stands open"];

/// Writes the tables as `docs/sandbox.md` has them.
fn in_words() -> String {
    let row = |(attempt, _, ends, free): &Row| {
        let ends = match ends {
            Denied => "denied",
            Killed => "killed",
            Short(_) => "denied: there is no more to have",
            Signal(_) => "ended by the kernel",
            TimedOut => "ended by the clock",
            TooLong => "ended: the reply is too long",
            Hidden => "denied where the root is hidden",
            Open => "allowed",
        };
        let free = if *free == Succeeds { "yes" } else { "" };
        format!("| {attempt} | {ends} | {free} |\n")
    };
    let table = |(heading, rows): (&str, &[Row])| {
        let rows = rows.iter().map(row).collect::<String>();
        format!(
            "### {heading}\n\n| attempt | how it ends | succeeds with `--unconfined` |\n|---|---|---|\n{rows}\n"
        )
    };
    HEADINGS.into_iter().zip(TABLES).map(table).collect()
}

#[test]
fn the_tables_of_the_documentation_are_those_of_the_campaign() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sandbox.md");
    let text = fs::read_to_string(path).unwrap();
    let words = in_words();
    assert!(text.contains(&words), "docs/sandbox.md should hold:\n{words}");
}

/// Rust turns a stack overflow into an abort if it knows the stack's guard page: not for the first thread under musl.
const OVERFLOW: i32 = if cfg!(target_env = "musl") { libc::SIGSEGV } else { libc::SIGABRT };

/// The targets of the attempts; the listeners exist, so that every refusal comes from the sandbox.
struct Field {
    bench: Bench,
    tcp: TcpListener,
    udp: UdpSocket,
    abstract_name: String,
    _sockets: [UnixListener; 2],
}

impl Field {
    fn new(policy: Policy) -> Field {
        let bench = Bench::new(policy);
        for name in ["renamed", "moved", "removed"] {
            fs::write(bench.evidence.join(name), "content").unwrap();
        }
        let abstract_name = bench.outside.display().to_string().replace('/', "-");
        let address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        let path = bench.outside.join("socket");
        let sockets = [UnixListener::bind_addr(&address).unwrap(), UnixListener::bind(path).unwrap()];
        let (tcp, udp) = (TcpListener::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
        Field { bench, tcp, udp, abstract_name, _sockets: sockets }
    }

    fn ends(&mut self, request: &str) -> Ending {
        self.ends_within(Duration::from_secs(20), request)
    }

    fn ends_within(&mut self, wall: Duration, request: &str) -> Ending {
        let filled = request
            .replace("{outside}", self.bench.outside.to_str().unwrap())
            .replace("{evidence}", self.bench.evidence.to_str().unwrap())
            .replace("{scratch}", self.bench.scratch_root.to_str().unwrap())
            .replace("{parent}", &std::process::id().to_string())
            .replace("{abstract}", &self.abstract_name)
            .replace("{tcp}", &self.tcp.local_addr().unwrap().to_string())
            .replace("{udp}", &self.udp.local_addr().unwrap().to_string());
        let limits = Limits {
            wall,
            reply_bytes: 1 << 20,
            file_size: 1 << 20,
            address_space: 1 << 30,
            ..Limits::default()
        };
        self.bench.zygote.call(filled.as_bytes(), &limits).unwrap().ending
    }
}

/// Errors from seccomp, from Landlock, from read-only mounts, from mounts between which nothing can be moved,
/// and from a root without the name.
macro_rules! denied {
    () => {
        libc::EPERM | libc::EACCES | libc::EROFS | libc::EXDEV | libc::ENOENT
    };
}

fn expected(ends: Ends, ending: &Ending) -> bool {
    let errno = match ending {
        Ending::Replied(bytes) => {
            String::from_utf8_lossy(bytes).strip_prefix("errno ").and_then(|number| number.parse().ok())
        }
        _ => None,
    };
    match ends {
        Denied if cfg!(target_env = "musl") => {
            // For its own functions, musl reports to the caller that resources are short, whatever the kernel said.
            matches!(errno, Some(denied!() | libc::EAGAIN | libc::ENOMEM))
        }
        Denied => matches!(errno, Some(denied!())),
        Killed => *ending == Ending::Signalled { signal: libc::SIGSYS },
        Short(expected) => errno == Some(expected),
        Signal(signal) => *ending == Ending::Signalled { signal },
        TimedOut => matches!(ending, Ending::TimedOut { .. }),
        TooLong => matches!(ending, Ending::ReplyTooLarge { .. }),
        Hidden => errno == Some(libc::ENOENT),
        Open => matches!(ending, Ending::Replied(bytes) if bytes.starts_with(b"ok ")),
    }
}

#[test]
fn every_attempt_ends_as_the_table_says() {
    let mut field = Field::new(Policy::Required);
    let mut wrong = Vec::new();
    let hidden = field.bench.zygote.confinement().root == Holding::Holds;
    assert_eq!(hidden, std::env::var_os(ROOT_STAYS).is_none() && probe().root == Holding::Holds);
    for (attempt, request, ends, _) in TABLES.concat() {
        let ends = if ends == Hidden && !hidden { Open } else { ends };
        // What only the clock ends need not be waited for; everything else may take its time on a busy machine.
        let ending = match ends {
            TimedOut => field.ends_within(Duration::from_millis(700), request),
            _ => field.ends(request),
        };
        if !expected(ends, &ending) {
            wrong.push(format!("{attempt} ({request}): {ending:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(field.bench.ask("echo next"), "ok next");
    assert_eq!(field.bench.scratch_folders(), 0);
    let names = ["file", "link", "moved", "removed", "renamed"];
    assert!(names.iter().all(|name| field.bench.evidence.join(name).symlink_metadata().is_ok()));
    assert_eq!(fs::read(field.bench.evidence.join("file")).unwrap(), b"content");
}

#[test]
fn what_the_campaign_tries_succeeds_without_confinement() {
    let mut field = Field::new(Policy::Unconfined);
    let mut wrong = Vec::new();
    // An ordinary user's call can create no process in any case: the limit of processes applies to it.
    let bound = if is_administrator() { &[][..] } else { &["fork", "clone3"] };
    for (attempt, request, ..) in TABLES.concat().into_iter().filter(|row| row.3 == Succeeds) {
        if bound.contains(&request) {
            continue;
        }
        let ending = field.ends(request);
        if !expected(Open, &ending) {
            wrong.push(format!("{attempt} ({request}): {ending:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The campaign itself, which the tests below start again in other surroundings.
const CAMPAIGN: &str = "campaign::every_attempt_ends_as_the_table_says";

/// The environment variable that says that the root cannot be hidden there.
const ROOT_STAYS: &str = "CAMPAIGN_WHERE_THE_ROOT_STAYS";

/// `nobody`, by convention.
const NOBODY: u32 = 65_534;

#[test]
fn every_attempt_of_an_ordinary_user_ends_the_same() {
    campaign_inside(&[], NOBODY);
}

/// Hiding everything outside would also hide whether Landlock and seccomp deny it.
#[test]
fn every_attempt_without_namespaces_ends_the_same() {
    // Inside a user namespace its own limit on them can be set to none.
    let none = "echo 0 > /proc/sys/user/max_user_namespaces \
        && exec setpriv --inh-caps=-all --ambient-caps=-all \"$@\"";
    campaign_inside(
        &["unshare", "--user", "--map-current-user", "--keep-caps", "sh", "-c", none, "sh"],
        NOBODY,
    );
}

/// If the root is not a mount, no other root can be made.
#[test]
fn every_attempt_of_an_administrator_in_a_chroot_ends_the_same() {
    let home = tempfile::tempdir().unwrap();
    let copy = r#"for at in /*; do
            if [ -L "$at" ]; then ln -sfn "$(readlink "$at")" "$ROOT$at"
            elif [ -d "$at" ]; then mkdir -p "$ROOT$at" && mount --rbind "$at" "$ROOT$at"
            fi || exit 1
        done
        exec chroot "$ROOT" "$@""#;
    let root = format!("ROOT={}", home.path().display());
    campaign_inside(&["env", &root, "unshare", "--mount", "sh", "-c", copy, "sh"], 0);
}

/// Runs the campaign as this user, as the argument of another program.
fn campaign_inside(inside: &[&str], user: u32) {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        println!("not tried again: only the administrator can");
        return;
    }
    let command = |arguments: &[&str]| {
        let mut words = inside.iter().chain(arguments);
        let mut command = Command::new(words.next().unwrap());
        command.args(words).uid(user).gid(user);
        command
    };
    let home = tempfile::tempdir().unwrap();
    std::os::unix::fs::chown(home.path(), Some(user), Some(user)).unwrap();
    let reach = command(&["test", "-x", env!("CARGO_BIN_EXE_sandbox-probe")]).output();
    if !reach.is_ok_and(|reach| reach.status.success()) {
        println!("not tried: the user cannot reach the built programs, or have {inside:?}");
        return;
    }
    let test = std::env::current_exe().unwrap().display().to_string();
    let mut command = command(&[&test, "--exact", CAMPAIGN]);
    if !inside.is_empty() {
        command.env(ROOT_STAYS, "1");
    }
    let output = command.env("TMPDIR", home.path()).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// Whatever system call number is used, the kernel does no more than what parsers need.
///
/// The allowed numbers are listed here as well as in the filter: one that is added there must be added here.
#[test]
#[cfg(target_arch = "x86_64")]
fn every_other_system_call_is_denied() {
    let mut field = Field::new(Policy::Required);
    let (mut allowed, mut wrong) = (Vec::new(), Vec::new());
    for number in (0..=600_i64).filter(|number| !ENDS.contains(number)) {
        let ending = field.ends(&format!("number {number}"));
        match ending {
            Ending::Replied(bytes) if bytes == b"errno 1" => {}
            Ending::Signalled { signal: libc::SIGSYS } => {}
            Ending::Replied(_) => allowed.push(number),
            other => wrong.push((number, other)),
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    assert_eq!(allowed, ALLOWED);
}

/// `rt_sigreturn`, `exit`, `exit_group` do not return to their caller.
/// 335 and 336 (`uretprobe`, `uprobe`) are let past every filter by the kernel, and do nothing for a process that is not probed.
#[cfg(target_arch = "x86_64")]
const ENDS: [i64; 5] = [libc::SYS_rt_sigreturn, libc::SYS_exit, libc::SYS_exit_group, 335, 336];

/// System calls that a call may make, whatever the arguments.
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const ALLOWED: &[i64] = &[
    0, 1, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 17, 18, 19, 20, 21, 22, 24, 25, 26, 28, 32, 33, 35, 39, 40,
    73, 74, 75, 77, 79, 82, 83, 84, 87, 89, 96, 102, 104, 107, 108, 110, 131, 186, 201, 202, 204, 217, 219, 221,
    228, 229, 230, 258, 262, 263, 264, 267, 269, 271, 273, 285, 292, 293, 295, 296, 316, 318, 326, 327, 328,
    332, 334, 439,
];

#[test]
#[cfg(target_arch = "x86_64")]
fn the_numbers_of_other_programs_are_no_way_around() {
    let mut field = Field::new(Policy::Required);
    assert!(expected(Denied, &field.ends("wide-numbers")), "x32");
    assert!(expected(Killed, &field.ends("old-numbers")), "32 bits");
}
