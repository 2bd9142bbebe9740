//! The system calls that the standard library does not wrap: the only unsafe code of Locard.
//!
//! Every function here is safe to call in a single-threaded process; each says what else it requires.
#![expect(
    unsafe_code,
    reason = "fork, wait4, poll, prctl and their like have no safe wrapper in the standard library"
)]

mod places;
mod rights;

pub(crate) use places::{
    attach, bind, copy_of, cover, set_copies, set_mounts, swap_roots, take_mounts_along, uncover, unshare,
};
pub(crate) use rights::{
    Capabilities, become_user, capabilities, effective_group, effective_user, keep_capabilities,
};

use std::ffi::{c_int, c_long, c_ulong};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

/// Which side of a fork this is.
pub(crate) enum Forked {
    /// In the new process.
    Child,
    /// In the calling process.
    Parent {
        /// Process id of the child.
        pid: i32,
    },
}

/// How a process ended.
#[derive(Clone, Copy)]
pub(crate) enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

/// What `wait4` reports of a process that has ended.
pub(crate) struct Reaped {
    /// How it ended.
    pub(crate) exit: Exit,
    /// CPU time in user mode.
    pub(crate) user: Duration,
    /// CPU time in the kernel.
    pub(crate) system: Duration,
    /// Peak resident set in KiB.
    pub(crate) peak_rss_kib: u64,
}

/// Resource limits that a worker sets on itself.
#[derive(Clone, Copy)]
pub(crate) enum Resource {
    /// Bytes of address space.
    AddressSpace,
    /// Seconds of CPU time.
    Cpu,
    /// Bytes of one written file.
    FileSize,
    /// Highest file descriptor plus one.
    OpenFiles,
    /// Bytes of a core dump.
    Core,
    /// Processes of this user (does not bind root).
    Processes,
}

/// Forks the process.
/// Only a single-threaded process may call this: `serve` has checked it.
pub(crate) fn fork() -> io::Result<Forked> {
    // SAFETY: the process is single-threaded, so no lock can be held by a thread that the child lacks.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Forked::Child),
        pid => Ok(Forked::Parent { pid }),
    }
}

/// Ends the process at once: no destructor, no exit handler, no parent's buffer written twice.
pub(crate) fn exit_now(code: i32) -> ! {
    // SAFETY: `_exit` has no precondition.
    unsafe { libc::_exit(code) }
}

/// Waits for `pid` to end and reaps it.
pub(crate) fn wait(pid: i32) -> io::Result<Reaped> {
    let mut status: c_int = 0;
    // SAFETY: `rusage` is plain data for which all zeroes is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to live locals of the right type.
        if unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) } == pid {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let exit = if libc::WIFSIGNALED(status) {
        Exit::Signal(libc::WTERMSIG(status))
    } else {
        Exit::Code(libc::WEXITSTATUS(status))
    };
    Ok(Reaped {
        exit,
        user: duration(usage.ru_utime),
        system: duration(usage.ru_stime),
        peak_rss_kib: u64::try_from(usage.ru_maxrss).unwrap_or(0),
    })
}

fn duration(time: libc::timeval) -> Duration {
    let micros = u64::try_from(time.tv_usec).unwrap_or(0);
    Duration::from_secs(u64::try_from(time.tv_sec).unwrap_or(0)) + Duration::from_micros(micros)
}

/// Opens a descriptor that becomes readable when `pid` ends.
pub(crate) fn pidfd_open(pid: i32) -> io::Result<OwnedFd> {
    // SAFETY: takes two integers; the kernel checks them.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    let fd = RawFd::try_from(check_long(fd)?).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
    // SAFETY: the kernel has just given us this descriptor and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Kills every process of the group `pid`, and `pid` itself in case it had no group yet.
/// The caller has not reaped `pid`, so the number cannot have been reused.
pub(crate) fn kill_group(pid: i32) {
    if pid > 1 {
        // SAFETY: takes two integers; `pid` above 1 excludes "every process" and our own group.
        unsafe {
            libc::kill(-pid, libc::SIGKILL);
            libc::kill(pid, libc::SIGKILL);
        }
    }
}

/// Makes `pid` (0: the caller) the leader of its own process group.
pub(crate) fn own_group(pid: i32) -> io::Result<()> {
    // SAFETY: takes two integers.
    check(unsafe { libc::setpgid(pid, pid) })
}

/// Asks the kernel to kill the caller when the *thread* that created it ends.
pub(crate) fn die_with_parent() -> io::Result<()> {
    prctl(libc::PR_SET_PDEATHSIG, c_ulong::try_from(libc::SIGKILL).unwrap_or(9))
}

/// Gives up, for good, any privileges that an executed file could add.
pub(crate) fn no_new_privs() -> io::Result<()> {
    prctl(libc::PR_SET_NO_NEW_PRIVS, 1)
}

/// The size and free space of a file system, for processes without privileges.
pub(crate) struct Room {
    /// Bytes in total.
    pub(crate) bytes: u64,
    /// Bytes that are free.
    pub(crate) free_bytes: u64,
    /// Files in total; 0 if they are not counted.
    pub(crate) files: u64,
    /// Files that can still be created.
    pub(crate) free_files: u64,
}

/// Queries the file system of `fd`.
pub(crate) fn room(fd: BorrowedFd<'_>) -> io::Result<Room> {
    // SAFETY: `statfs` is plain data for which all zeroes is a value.
    let mut told: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live local of the right type; `fd` is open.
    check(unsafe { libc::fstatfs(fd.as_raw_fd(), &raw mut told) })?;
    let block = u64::try_from(told.f_bsize).unwrap_or(0);
    Ok(Room {
        bytes: told.f_blocks.saturating_mul(block),
        free_bytes: told.f_bavail.saturating_mul(block),
        files: told.f_files,
        free_files: told.f_ffree,
    })
}

/// Forbids core dumps (also those to a pipe, which `RLIMIT_CORE` does not stop) and attaching by other processes.
pub(crate) fn not_dumpable() -> io::Result<()> {
    prctl(libc::PR_SET_DUMPABLE, 0)
}

/// Checks whether the kernel knows `PR_GET_NO_NEW_PRIVS`.
pub(crate) fn knows_no_new_privs() -> io::Result<()> {
    prctl(libc::PR_GET_NO_NEW_PRIVS, 0)
}

fn prctl(option: c_int, value: c_ulong) -> io::Result<()> {
    // SAFETY: the options used in this module take integers only.
    let result = unsafe { libc::prctl(option, value, 0 as c_ulong, 0 as c_ulong, 0 as c_ulong) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Makes files and folders that the caller creates private to its own user.
pub(crate) fn private_umask() {
    // SAFETY: takes an integer and cannot fail.
    unsafe { libc::umask(0o077) };
}

/// Sets the soft and hard limits of `resource`, the hard one `slack` higher, neither above the current hard limit.
pub(crate) fn limit(resource: Resource, soft: u64, slack: u64) -> io::Result<()> {
    let number = match resource {
        Resource::AddressSpace => libc::RLIMIT_AS,
        Resource::Cpu => libc::RLIMIT_CPU,
        Resource::FileSize => libc::RLIMIT_FSIZE,
        Resource::OpenFiles => libc::RLIMIT_NOFILE,
        Resource::Core => libc::RLIMIT_CORE,
        Resource::Processes => libc::RLIMIT_NPROC,
    };
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is to a live local of the right type.
    check(unsafe { libc::getrlimit(number, &raw mut now) })?;
    let hard = soft.saturating_add(slack).min(now.rlim_max);
    let wanted = libc::rlimit { rlim_cur: soft.min(hard), rlim_max: hard };
    // SAFETY: the pointer is to a live local of the right type.
    check(unsafe { libc::setrlimit(number, &raw const wanted) })
}

/// Closes every descriptor from `first` on, whoever owns it.
/// Only for a process that no longer owns anything there: a fresh worker, or a child that will never drop what it inherited.
pub(crate) fn close_from(first: u32) -> io::Result<()> {
    // SAFETY: takes integers; see the contract above for why no owner is surprised.
    let result = unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0) };
    check_long(result).map(drop)
}

/// Makes the descriptor number `target` another name of `fd`, kept across `exec`.
pub(crate) fn place(fd: BorrowedFd<'_>, target: RawFd) -> io::Result<()> {
    // SAFETY: `fd` is open; whatever was at `target` is closed, which the callers intend.
    check(unsafe { libc::dup2(fd.as_raw_fd(), target) })
}

/// Takes over one of the three standard descriptors, at a number of 3 or more.
pub(crate) fn take_standard(number: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: takes integers; the result is checked.
    let fd = unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, 3) };
    check(fd)?;
    // SAFETY: the kernel has just given us this descriptor and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Takes ownership of the descriptor `number`.
/// Only for a child that has put something there and has no other owner of it.
pub(crate) fn adopt(number: RawFd) -> OwnedFd {
    // SAFETY: see the contract above.
    unsafe { OwnedFd::from_raw_fd(number) }
}

/// Makes reads and writes through this description return `WouldBlock` where they would wait.
pub(crate) fn set_nonblocking(fd: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: takes integers; `fd` is open.
    let flags = unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFL) };
    check(flags)?;
    // SAFETY: as above.
    check(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK) })
}

/// Asks for a pipe buffer of `bytes`; the kernel may refuse, which only costs speed.
pub(crate) fn widen_pipe(fd: BorrowedFd<'_>, bytes: c_int) {
    // SAFETY: takes integers; `fd` is open.
    unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETPIPE_SZ, bytes) };
}

/// Moves up to `length` bytes from one pipe to another inside the kernel; returns 0 at the end of `from`.
pub(crate) fn splice(from: BorrowedFd<'_>, to: BorrowedFd<'_>, length: usize) -> io::Result<usize> {
    let flags = libc::SPLICE_F_MOVE | libc::SPLICE_F_NONBLOCK;
    let none = std::ptr::null_mut();
    // SAFETY: both descriptors are open; pipes take null offsets.
    let moved = unsafe { libc::splice(from.as_raw_fd(), none, to.as_raw_fd(), none, length, flags) };
    usize::try_from(moved).map_err(|_| io::Error::last_os_error())
}

/// Creates a counter that is readable while it is not zero, and never blocks.
pub(crate) fn eventfd() -> io::Result<OwnedFd> {
    // SAFETY: takes integers; the result is checked.
    let fd = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
    check(fd)?;
    // SAFETY: the kernel has just given us this descriptor and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// A descriptor to wait for, with the wanted `POLL*` events; `None` is skipped.
pub(crate) type Wanted<'a> = (Option<BorrowedFd<'a>>, i16);

/// Something can be read, or the other side is gone.
pub(crate) const READABLE: i16 = libc::POLLIN;
/// Something can be written, or the other side is gone.
pub(crate) const WRITABLE: i16 = libc::POLLOUT;

/// Waits for any of `wanted`, at most `timeout` (`None`: forever), and returns the events of each.
/// If a signal interrupts, it returns as if the time were over: callers check their clock anyway.
pub(crate) fn poll<const N: usize>(
    wanted: [Wanted<'_>; N],
    timeout: Option<Duration>,
) -> io::Result<[i16; N]> {
    let mut set = wanted.map(|(fd, events)| libc::pollfd {
        fd: fd.map_or(-1, |fd| fd.as_raw_fd()),
        events,
        revents: 0,
    });
    let time = timeout.map(|timeout| libc::timespec {
        tv_sec: libc::time_t::try_from(timeout.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: c_long::from(timeout.subsec_nanos().cast_signed()),
    });
    let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    let count = libc::nfds_t::try_from(N).unwrap_or(0);
    // SAFETY: the array has `count` live elements; `time` is null or points to a live local.
    let result = unsafe { libc::ppoll(set.as_mut_ptr(), count, time, std::ptr::null()) };
    if result < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
        return Ok([0; N]);
    }
    Ok(set.map(|entry| entry.revents))
}

/// Returns the kernel's Landlock ABI version, at least 1.
pub(crate) fn landlock_abi() -> io::Result<u32> {
    let version: c_long = 1; // LANDLOCK_CREATE_RULESET_VERSION
    let none = std::ptr::null::<u8>();
    // SAFETY: with this flag the kernel takes a null pointer and a size of 0, and returns a number.
    let abi = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, none, 0usize, version) };
    u32::try_from(check_long(abi)?).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))
}

/// Checks whether seccomp filters can kill the whole process, the newest feature that we need of them (Linux 4.14).
pub(crate) fn knows_seccomp() -> io::Result<()> {
    let action: u32 = libc::SECCOMP_RET_KILL_PROCESS;
    // SAFETY: the pointer is to a live local of the type that this operation reads.
    let result =
        unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &raw const action) };
    check_long(result).map(drop)
}

fn check(result: c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn check_long(result: c_long) -> io::Result<c_long> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
