//! The seccomp filters: which system calls zygote and call may make.
//!
//! Three filters are stacked; the strictest answer counts.
//!
//! 1. `hostile`, in the zygote and so in every call: a call to one of these **kills the process** (`SIGSYS`).
//!    No parser, allocator or database makes these calls, not even to try: whoever makes one has taken over the process.
//!    A kill allows no second attempt and shows in the report; an error number would do neither.
//! 2. `zygote`: an allow-list; everything else returns `EPERM`.
//! 3. `call`: a smaller allow-list, installed after the fork; everything else returns `EPERM`,
//!    so that a library which tries a faster call first can fall back.
//!
//! The call's list has no socket, no process, no thread, no signal to others, no link, no device file, no `ioctl`,
//! and no `chmod`, `chown`, `utimensat` or `setxattr` (Landlock leaves these open).
//! For some calls the arguments decide:
//! - `mmap` and `mprotect` never with `PROT_EXEC`;
//! - `openat` with `O_TRUNC` only together with write access, because Landlock before ABI 3 lets a read-only open truncate;
//! - `fcntl` only for duplicates, flags, record locks and the size of a pipe: `F_SETOWN` and `F_SETSIG` would send signals;
//! - `prlimit64` only to read our own limits, `tgkill` and `tkill` only to ourselves
//!   (an abort needs one of them: glibc the first, musl the second);
//! - `clone` (zygote) never with a new namespace.
//!
//! One consequence for handlers: `std::fs::copy` fails, because it sets the mode of its target; use `std::io::copy`.

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen as Width, SeccompCmpOp as Compare,
    SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};
use std::collections::BTreeMap;
use std::ffi::c_long;
use std::io;

/// The placeholder for the call's process id in a compiled filter; no process can have this id.
const OWN_PID: u32 = 0x7E57_1D00;

/// The three filters, compiled.
pub(crate) struct Filters {
    /// Kills for calls that only a taken-over process makes.
    pub(crate) hostile: BpfProgram,
    /// The allow-list of the zygote.
    pub(crate) zygote: BpfProgram,
    /// The allow-list of a call, to be completed by [`for_process`].
    pub(crate) call: BpfProgram,
}

/// Compiles the filters for this machine.
pub(crate) fn compile() -> Result<Filters, BackendError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let deny = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let hostile = filter(unconditional(HOSTILE), SeccompAction::Allow, SeccompAction::KillProcess, arch)?;
    let zygote = filter(zygote_rules()?, deny.clone(), SeccompAction::Allow, arch)?;
    let call = filter(call_rules()?, deny, SeccompAction::Allow, arch)?;
    Ok(Filters { hostile, zygote, call })
}

/// Puts the process id into the call's filter.
pub(crate) fn for_process(mut filter: BpfProgram, pid: u32) -> BpfProgram {
    for instruction in filter.iter_mut().filter(|instruction| instruction.k == OWN_PID) {
        instruction.k = pid;
    }
    filter
}

/// Returns the system's error inside a failure to install a filter.
pub(crate) fn cause(error: seccompiler::Error) -> io::Error {
    match error {
        seccompiler::Error::Prctl(error) | seccompiler::Error::Seccomp(error) => error,
        _ => io::Error::from(io::ErrorKind::Other),
    }
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn filter(
    rules: Rules,
    otherwise: SeccompAction,
    matched: SeccompAction,
    arch: TargetArch,
) -> Result<BpfProgram, BackendError> {
    SeccompFilter::new(rules, otherwise, matched, arch)?.try_into()
}

/// Makes rules that match whatever the arguments are.
fn unconditional(calls: &[c_long]) -> Rules {
    calls.iter().map(|call| (*call, Vec::new())).collect()
}

fn call_rules() -> Result<Rules, BackendError> {
    let mut rules = unconditional(ALLOWED);
    #[cfg(target_arch = "x86_64")]
    rules.extend(unconditional(ALLOWED_OLD_NAMES));
    let no_exec = vec![rule(2, Compare::MaskedEq(flag(libc::PROT_EXEC)), 0)?];
    rules.insert(libc::SYS_mmap, no_exec.clone());
    rules.insert(libc::SYS_mprotect, no_exec);
    rules.insert(libc::SYS_openat, open_rules(2)?);
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_open, open_rules(1)?);
    let commands = FCNTL_COMMANDS.iter().map(|command| rule(1, Compare::Eq, flag(*command)));
    rules.insert(libc::SYS_fcntl, commands.collect::<Result<_, _>>()?);
    // A call has one thread, whose id is the id of its process.
    for signal in [libc::SYS_tgkill, libc::SYS_tkill] {
        rules.insert(signal, vec![rule(0, Compare::Eq, u64::from(OWN_PID))?]);
    }
    let read_own = [
        SeccompCondition::new(0, Width::Dword, Compare::Eq, 0)?,
        SeccompCondition::new(2, Width::Qword, Compare::Eq, 0)?,
    ];
    rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(read_own.to_vec())?]);
    Ok(rules)
}

fn zygote_rules() -> Result<Rules, BackendError> {
    let mut rules = call_rules()?;
    rules.extend(unconditional(ZYGOTE_ALSO));
    #[cfg(target_arch = "x86_64")]
    rules.extend(unconditional(ZYGOTE_OLD_NAMES));
    rules.insert(libc::SYS_clone, vec![rule(0, Compare::MaskedEq(NEW_NAMESPACES), 0)?]);
    Ok(rules)
}

/// Allows the call without `O_TRUNC` always; with it only for writing.
fn open_rules(argument: u8) -> Result<Vec<SeccompRule>, BackendError> {
    let (truncate, mode) = (flag(libc::O_TRUNC), flag(libc::O_ACCMODE));
    Ok(vec![
        rule(argument, Compare::MaskedEq(truncate), 0)?,
        rule(argument, Compare::MaskedEq(mode), flag(libc::O_WRONLY))?,
        rule(argument, Compare::MaskedEq(mode), flag(libc::O_RDWR))?,
    ])
}

fn rule(argument: u8, compare: Compare, value: u64) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, Width::Dword, compare, value)?])
}

fn flag(value: i32) -> u64 {
    u64::from(value.cast_unsigned())
}

/// The flags of `clone` that make namespaces: `CLONE_NEWNS`, `NEWCGROUP`, `NEWUTS`, `NEWIPC`, `NEWUSER`, `NEWPID` and `NEWNET`.
const NEW_NAMESPACES: u64 = 0x7E02_0000;

const FCNTL_COMMANDS: &[i32] = &[
    libc::F_DUPFD,
    libc::F_DUPFD_CLOEXEC,
    libc::F_GETFD,
    libc::F_SETFD,
    libc::F_GETFL,
    libc::F_SETFL,
    libc::F_GETLK,
    libc::F_SETLK,
    libc::F_SETLKW,
    libc::F_OFD_GETLK,
    libc::F_OFD_SETLK,
    libc::F_OFD_SETLKW,
    libc::F_GETPIPE_SZ,
    libc::F_SETPIPE_SZ,
];

/// System calls that a call may make, whatever the arguments.
const ALLOWED: &[c_long] = &[
    // Reading and writing open files.
    libc::SYS_read,
    libc::SYS_pread64,
    libc::SYS_readv,
    libc::SYS_preadv,
    libc::SYS_preadv2,
    libc::SYS_write,
    libc::SYS_pwrite64,
    libc::SYS_writev,
    libc::SYS_pwritev,
    libc::SYS_pwritev2,
    libc::SYS_lseek,
    libc::SYS_copy_file_range,
    libc::SYS_sendfile,
    libc::SYS_ftruncate,
    libc::SYS_fallocate,
    libc::SYS_fadvise64,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_flock,
    libc::SYS_close,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_pipe2,
    libc::SYS_ppoll,
    // Names; Landlock decides about the paths.
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_getdents64,
    libc::SYS_readlinkat,
    libc::SYS_getcwd,
    libc::SYS_mkdirat,
    libc::SYS_unlinkat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    // Memory.
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_msync,
    // The process itself.
    libc::SYS_futex,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_gettid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // Time and randomness.
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_getrandom,
];

/// System calls that only x86-64 has under their old names; some C libraries still use them.
#[cfg(target_arch = "x86_64")]
const ALLOWED_OLD_NAMES: &[c_long] = &[
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_mkdir,
    libc::SYS_rmdir,
    libc::SYS_unlink,
    libc::SYS_rename,
    libc::SYS_dup2,
    libc::SYS_pipe,
    libc::SYS_poll,
    libc::SYS_time,
];

/// System calls of the zygote in addition: to create, confine, watch and end the processes of calls.
/// A call is also in this state until its own filter is installed.
const ZYGOTE_ALSO: &[c_long] = &[
    libc::SYS_wait4,
    libc::SYS_fstatfs,
    libc::SYS_kill,
    libc::SYS_tgkill,
    libc::SYS_tkill,
    libc::SYS_pidfd_open,
    libc::SYS_setpgid,
    // After a fork, musl uses it to ask for the thread's id, and keeps whatever is returned.
    libc::SYS_set_tid_address,
    libc::SYS_prctl,
    libc::SYS_prlimit64,
    libc::SYS_umask,
    libc::SYS_chdir,
    libc::SYS_close_range,
    libc::SYS_splice,
    libc::SYS_landlock_create_ruleset,
    libc::SYS_landlock_add_rule,
    libc::SYS_landlock_restrict_self,
    libc::SYS_seccomp,
];

/// System calls of the zygote that only x86-64 has under their old names.
#[cfg(target_arch = "x86_64")]
const ZYGOTE_OLD_NAMES: &[c_long] = &[libc::SYS_fork, libc::SYS_getrlimit, libc::SYS_setrlimit];

/// System calls that kill the process.
const HOSTILE: &[c_long] = &[
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_open_by_handle_at,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_kills_is_allowed_elsewhere() {
        let zygote = zygote_rules().unwrap();
        assert!(HOSTILE.iter().all(|call| !zygote.contains_key(call)));
    }

    #[test]
    fn a_call_may_do_nothing_that_the_zygote_may_not() {
        let (call, zygote) = (call_rules().unwrap(), zygote_rules().unwrap());
        assert!(call.keys().all(|name| zygote.contains_key(name)));
        assert!(!call.contains_key(&libc::SYS_clone) && !call.contains_key(&libc::SYS_kill));
    }

    #[test]
    fn the_own_process_id_stands_in_the_filter_only_once_it_is_known() {
        let compiled = compile().unwrap().call;
        let count = |program: &BpfProgram, k| program.iter().filter(|step| step.k == k).count();
        assert_eq!(count(&compiled, OWN_PID), 2);
        let own = for_process(compiled, 0x1234_5678);
        assert_eq!((count(&own, OWN_PID), count(&own, 0x1234_5678)), (0, 2));
    }
}
