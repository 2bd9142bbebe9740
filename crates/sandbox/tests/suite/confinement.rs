//! What a confined call may and may not do.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test that cannot go on must stop"
)]

use crate::common;

use common::{Bench, is_administrator};
use sandbox::{Config, Ending, Holding, Limits, Policy, Reason, Zygote, probe};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::process::Command;

fn errno(number: i32) -> String {
    format!("errno {number}")
}

#[test]
fn the_worker_says_what_holds_it() {
    let bench = Bench::new(Policy::Required);
    assert_eq!(bench.zygote.confinement(), &probe());
    assert!(bench.zygote.confinement().missing().is_empty());
    let bench = Bench::new(Policy::Unconfined);
    assert_eq!(bench.zygote.confinement().missing().len(), 3);
    assert_eq!(bench.zygote.confinement().no_new_privs, Holding::Holds);
}

/// Whoever starts the worker, it has only `CAP_DAC_READ_SEARCH` and `CAP_FOWNER`.
#[test]
fn the_worker_of_an_administrator_can_only_read_more_than_others() {
    let bench = Bench::new(Policy::Required);
    let status = fs::read_to_string(format!("/proc/{}/status", bench.zygote.process_id().unwrap())).unwrap();
    for set in ["CapInh:", "CapPrm:", "CapEff:"] {
        let line = status.lines().find_map(|line| line.strip_prefix(set)).unwrap();
        assert_eq!(u64::from_str_radix(line.trim(), 16).unwrap() & !0xc, 0, "{set}{line}");
    }
}

#[test]
fn the_worker_of_an_administrator_is_a_user_whom_nothing_belongs_to() {
    if !is_administrator() {
        return;
    }
    let mut bench = Bench::new(Policy::Required);
    let status = bench.told("status");
    let line = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    for name in ["Uid:", "Gid:"] {
        let ids: Vec<u32> = line(name).split_whitespace().map(|id| id.parse().unwrap()).collect();
        assert!(ids.iter().all(|id| *id >= 65_534), "{name} {ids:?}");
    }
    assert_eq!(line("Groups:").trim(), "");
    let mut second = bench.second();
    assert_eq!(Bench::ask_of(&mut second, "scratch"), "ok first");
    assert_eq!(bench.ask("scratch"), "ok first", "both are the same user");
    let unconfined = Bench::new(Policy::Unconfined);
    assert!(unconfined.told("status").contains("Uid:\t0\t0\t0\t0"));
}

#[test]
fn what_only_its_owner_may_read_is_read_as_before() {
    if !is_administrator() {
        return;
    }
    let shut = |evidence: &std::path::Path, _: &std::path::Path| {
        let file = evidence.join("file");
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        fs::set_permissions(evidence, Permissions::from_mode(0o700)).unwrap();
        chown(&file, Some(12_345), Some(12_345)).unwrap();
        chown(evidence, Some(12_346), Some(12_346)).unwrap();
        fs::write(evidence.join("root"), "administrator's").unwrap();
        fs::set_permissions(evidence.join("root"), Permissions::from_mode(0o400)).unwrap();
    };
    for policy in [Policy::Required, Policy::Unconfined] {
        let mut bench = Bench::prepared(policy, shut);
        assert_eq!(bench.ask_path("read", &bench.evidence.join("file")), "ok content");
        assert_eq!(bench.ask_path("read", &bench.evidence.join("root")), "ok administrator's");
        assert_eq!(bench.ask_path("list", &bench.evidence.clone()), "ok file link root");
        assert_eq!(bench.ask_path("quietly", &bench.evidence.join("file")), "ok ");
    }
}

#[test]
fn evidence_on_a_file_system_that_asks_who_reads_is_read_as_the_administrator() {
    if !is_administrator() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let config = Config {
        program: env!("CARGO_BIN_EXE_sandbox-probe").into(),
        readable: vec!["/proc/self/mounts".into()],
        scratch_root: home.path().join("scratch"),
        confinement: Policy::Required,
    };
    let mut zygote = Zygote::spawn(config).unwrap();
    assert_eq!(zygote.confinement().identity, Holding::Missing(Reason::EvidenceNeedsUser));
    assert!(Bench::ask_of(&mut zygote, "read /proc/self/mounts").starts_with("ok "));
    assert_eq!(Bench::ask_of(&mut zygote, "scratch"), "ok first");
}

#[test]
fn the_worker_of_an_administrator_has_a_network_and_mounts_of_its_own() {
    if !is_administrator() || probe().namespaces != Holding::Holds {
        return;
    }
    let bench = Bench::new(Policy::Required);
    for namespace in ["ns/net", "ns/ipc", "ns/mnt"] {
        let ours = fs::read_link(format!("/proc/self/{namespace}")).unwrap().display().to_string();
        assert_ne!(bench.told(namespace), ours);
    }
    let mounts = bench.told("mountinfo");
    let home = bench.evidence.parent().unwrap().canonicalize().unwrap();
    let shown = |name: &str| home.join(name).display().to_string();
    let expected = ["/".to_owned(), shown("evidence"), shown("scratch"), shown("single")];
    let mut places = Vec::new();
    for line in mounts.lines() {
        let fields: Vec<_> = line.split(' ').collect();
        let writable = fields[5].split(',').any(|option| option == "rw");
        assert_eq!(writable, fields[4] == shown("scratch"), "{line}");
        places.push(fields[4].to_owned());
    }
    places.sort();
    assert_eq!(places, expected);
}

/// The names include links, some of which lead out of the evidence's folder and back into it; the scratch root is inside the evidence.
#[test]
fn evidence_is_read_under_every_name_that_it_was_given() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    fs::create_dir_all(home.join("disk/case/inner/scratch")).unwrap();
    fs::write(home.join("disk/case/file"), "content").unwrap();
    fs::write(home.join("disk/case/inner/file"), "inner").unwrap();
    std::os::unix::fs::symlink("disk/case", home.join("link")).unwrap();
    std::os::unix::fs::symlink(home.join("link"), home.join("disk/again")).unwrap();
    let names = ["disk/again/inner", "link", "disk/again/file", "disk/case"].map(|name| home.join(name));
    let config = Config {
        program: env!("CARGO_BIN_EXE_sandbox-probe").into(),
        readable: names.to_vec(),
        scratch_root: home.join("disk/again/inner/scratch"),
        confinement: Policy::Required,
    };
    let mut zygote = Zygote::spawn(config).unwrap();
    assert_eq!(zygote.confinement().root, probe().root);
    let mut read = |name: &str| Bench::ask_of(&mut zygote, &format!("read {}", home.join(name).display()));
    for name in ["disk/again/inner/file", "link/inner/file", "disk/case/inner/../inner/file"] {
        assert_eq!(read(name), "ok inner", "{name}");
    }
    for name in ["disk/again/file", "link/file", "disk/case/file"] {
        assert_eq!(read(name), "ok content", "{name}");
    }
    assert_eq!(Bench::ask_of(&mut zygote, "scratch"), "ok first");
}

#[test]
fn everything_can_be_the_evidence() {
    let home = tempfile::tempdir().unwrap();
    let config = Config {
        program: env!("CARGO_BIN_EXE_sandbox-probe").into(),
        readable: vec!["/".into()],
        scratch_root: home.path().join("scratch"),
        confinement: Policy::Required,
    };
    fs::write(home.path().join("file"), "content").unwrap();
    let mut zygote = Zygote::spawn(config).unwrap();
    assert_eq!(zygote.confinement().root, probe().root);
    let file = home.path().join("file").display().to_string();
    assert_eq!(Bench::ask_of(&mut zygote, &format!("read {file}")), "ok content");
    assert!(Bench::ask_of(&mut zygote, &format!("write {file}")).starts_with("errno "));
    assert_eq!(Bench::ask_of(&mut zygote, "scratch"), "ok first");
}

/// A disk of 64 MiB mounted over the scratch root, which is removed with this guard.
struct SmallDisk(std::path::PathBuf);

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").args(["-l".as_ref(), self.0.as_os_str()]).status();
    }
}

#[test]
fn a_call_is_ended_before_the_disk_is_full() {
    if !is_administrator() {
        return;
    }
    for (policy, request) in [
        (Policy::Required, "fill-disk"),
        (Policy::Required, "fill-unlinked"),
        (Policy::Required, "fill-folders"),
        (Policy::Unconfined, "fill-disk"),
    ] {
        let (mut disk, mut mounted) = (None, false);
        let mut bench = Bench::prepared(policy, |_, scratch_root| {
            let options = ["-t", "tmpfs", "-o", "size=64m,nr_inodes=20000", "tmpfs"];
            let mount = Command::new("mount").args(options).arg(scratch_root).status();
            mounted = mount.is_ok_and(|status| status.success());
            disk = Some(SmallDisk(scratch_root.to_owned()));
        });
        if !mounted {
            println!("not tried: nothing can be mounted here");
            return;
        }
        let report = bench.zygote.call(request.as_bytes(), &Limits::default()).unwrap();
        // A call that writes faster than the checks reaches the end of the disk, and gets no further.
        let no_space = Ending::Replied(format!("errno {}", libc::ENOSPC).into_bytes());
        assert!([Ending::DiskFull, no_space].contains(&report.ending), "{request}: {:?}", report.ending);
        assert_eq!(bench.ask("echo next"), "ok next");
        assert_eq!(bench.scratch_folders(), 0);
        drop(bench);
        drop(disk);
    }
}

#[test]
fn evidence_can_be_read_listed_and_mapped() {
    let mut bench = Bench::new(Policy::Required);
    let (folder, file) = (bench.evidence.clone(), bench.evidence.join("file"));
    assert_eq!(bench.ask_path("read", &file), "ok content");
    assert_eq!(bench.ask_path("map", &file), "ok content");
    assert_eq!(bench.ask_path("list", &folder), "ok file link");
    assert_eq!(bench.ask_path("read", &folder.with_file_name("single")), "ok single");
}

#[test]
fn evidence_cannot_be_changed() {
    let mut bench = Bench::new(Policy::Required);
    let file = bench.evidence.join("file");
    let before = fs::metadata(&file).unwrap();
    let denied = [errno(libc::EACCES), errno(libc::EPERM), errno(libc::EROFS)];
    for verb in [
        "write",
        "truncate",
        "truncate-open",
        "unlink",
        "rename",
        "chmod",
        "fchmod",
        "chown",
        "utimensat",
        "setxattr",
    ] {
        let answer = bench.ask_path(verb, &file);
        assert!(denied.contains(&answer), "{verb}: {answer}");
    }
    for verb in ["create", "make-folder"] {
        let answer = bench.ask_path(verb, &bench.evidence.join("new"));
        assert!(denied.contains(&answer), "{verb}: {answer}");
    }
    let after = fs::metadata(&file).unwrap();
    let fields =
        |meta: &fs::Metadata| (meta.mode(), meta.uid(), meta.len(), meta.mtime_nsec(), meta.ctime_nsec());
    assert_eq!(fields(&before), fields(&after));
    assert_eq!(fs::read_dir(&bench.evidence).unwrap().count(), 2);
}

#[test]
fn unconfined_the_same_acts_succeed() {
    let mut bench = Bench::new(Policy::Unconfined);
    let file = bench.evidence.join("file");
    for verb in ["write", "chmod", "fchmod", "utimensat", "truncate-open", "truncate", "unlink"] {
        assert_eq!(bench.ask_path(verb, &file), "ok ", "{verb}");
    }
    assert_eq!(bench.ask("udp 127.0.0.1:9"), "ok ");
    assert_eq!(bench.ask("code"), "ok ");
    assert_eq!(bench.ask_path("read", &bench.outside.join("file")), "ok content");
}

#[test]
fn nothing_outside_can_be_read_not_even_through_a_link() {
    let mut bench = Bench::new(Policy::Required);
    let denied = match bench.zygote.confinement().root {
        Holding::Holds => errno(libc::ENOENT),
        Holding::Missing(_) => errno(libc::EACCES),
    };
    assert_eq!(bench.ask("read /etc/passwd"), denied);
    assert_eq!(bench.ask("list /proc"), denied);
    assert_eq!(bench.ask("list /"), errno(libc::EACCES));
    assert_eq!(bench.ask_path("read", &bench.outside.join("file")), denied);
    assert_eq!(bench.ask_path("read", &bench.evidence.join("link")), denied);
    assert_eq!(bench.ask_path("read", &bench.evidence.join("../outside/file")), denied);
}

#[test]
fn scratch_is_fresh_writable_and_gone_afterwards() {
    for policy in [Policy::Required, Policy::Unconfined] {
        let mut bench = Bench::new(policy);
        assert_eq!(bench.ask("list-scratch"), "ok ");
        assert_eq!(bench.ask("scratch"), "ok first");
        let path = bench.ask("scratch-path");
        let path = path.trim_start_matches("ok ");
        assert!(path.starts_with(bench.scratch_root.to_str().unwrap()), "{path}");
        assert!(!fs::exists(path).unwrap());
        let report = bench.report("shut-scratch");
        assert_eq!(report.scratch_left, None);
        assert_eq!(bench.scratch_folders(), 0);
    }
}

#[test]
fn the_scratch_of_others_is_out_of_reach() {
    let mut bench = Bench::new(Policy::Required);
    let other = bench.scratch_root.join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("file"), "content").unwrap();
    let denied = errno(libc::EACCES);
    assert_eq!(bench.ask_path("read", &other.join("file")), denied);
    assert_eq!(bench.ask_path("list", &other), denied);
    assert_eq!(bench.ask_path("write", &other.join("file")), denied);
    assert_eq!(bench.ask_path("unlink", &other.join("file")), denied);
    assert_eq!(bench.ask_path("create", &bench.scratch_root.join("new")), denied);
}

#[test]
fn there_is_no_way_out() {
    let mut bench = Bench::new(Policy::Required);
    let denied = errno(libc::EPERM);
    let parent = std::process::id();
    for request in ["tcp 127.0.0.1:9", "udp", "unix", "fork", "raise-limit", "link /etc/passwd"] {
        assert_eq!(bench.ask(request), denied, "{request}");
    }
    // For its own functions, musl reports to the caller that resources are short, whatever the kernel said.
    for (request, under_musl) in [("thread", libc::EAGAIN), ("code", libc::ENOMEM)] {
        let expected = if cfg!(target_env = "musl") { errno(under_musl) } else { denied.clone() };
        assert_eq!(bench.ask(request), expected, "{request}");
    }
    assert_eq!(bench.ask(&format!("kill {parent}")), denied);
    assert_eq!(bench.ask(&format!("own-signals {parent}")), denied);
    assert_eq!(bench.ask_path("hard-link", &bench.evidence.join("file")), denied);
}

#[test]
fn what_only_a_taken_over_process_does_is_its_end() {
    let mut bench = Bench::new(Policy::Required);
    for request in ["exec /bin/true", "ptrace", "io-uring", "unshare"] {
        let ending = bench.report(request).ending;
        assert_eq!(ending, Ending::Signalled { signal: libc::SIGSYS }, "{request}");
    }
    assert_eq!(bench.ask("echo next"), "ok next");
}
