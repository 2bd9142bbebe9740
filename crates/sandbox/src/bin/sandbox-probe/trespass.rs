//! Acts that no call may succeed in.

use crate::outcome::{Outcome, exit};
use std::ffi::{CString, c_int, c_long};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::os::unix::net::UnixStream;

/// Tries an act that no call may succeed in; the argument is a path, an address, a number or empty.
pub(crate) fn trespass(verb: &str, argument: &str) -> Outcome {
    to_files(verb, argument)
        .or_else(|| to_sockets(verb, argument))
        .or_else(|| to_processes(verb, argument))
        .or_else(|| to_itself(verb, argument))
        .or_else(|| to_the_kernel(verb, argument))
}

const AT: c_long = libc::AT_FDCWD as c_long;

fn to_files(verb: &str, argument: &str) -> Outcome {
    let path = CString::new(argument).unwrap_or_default();
    let name = path.as_ptr() as c_long;
    let open = |flags: c_int| OpenOptions::new().read(true).custom_flags(flags).open(argument);
    Some(match verb {
        "write" => OpenOptions::new().write(true).open(argument).map(|_| String::new()),
        "create" => File::create_new(argument).map(|_| String::new()),
        "truncate" => call(libc::SYS_truncate, [name, 0, 0, 0, 0]),
        "truncate-open" => open(libc::O_TRUNC).map(|_| String::new()),
        "open-path" => open(libc::O_PATH).map(|_| String::new()),
        "read-through-path" => open(libc::O_PATH).and_then(|file| reopen(&file)),
        "open-how" => open_how(name),
        "stat" => fs::metadata(argument).map(|_| String::new()),
        "readlink" => fs::read_link(argument).map(|_| String::new()),
        "unlink" => fs::remove_file(argument).map(|()| String::new()),
        "make-folder" => fs::create_dir(argument).map(|()| String::new()),
        "make-node" => {
            let null = i64::from(libc::makedev(1, 3).cast_signed() as i32);
            call(libc::SYS_mknodat, [AT, c"node".as_ptr() as c_long, 0o020_666, null, 0])
        }
        "rename" => fs::rename(argument, format!("{argument}-renamed")).map(|()| String::new()),
        "take" => fs::rename(argument, "taken").map(|()| String::new()),
        "chmod" => call(libc::SYS_fchmodat, [AT, name, 0o777, 0, 0]),
        "fchmod" => File::open(argument)
            .and_then(|file| call(libc::SYS_fchmod, [i64::from(file.as_raw_fd()), 0o777, 0, 0, 0])),
        "chown" => call(libc::SYS_fchownat, [AT, name, 1, 1, 0]),
        "utimensat" => call(libc::SYS_utimensat, [AT, name, 0, 0, 0]),
        "setxattr" => call(libc::SYS_setxattr, [name, c"user.locard".as_ptr() as c_long, name, 1, 0]),
        "link" => symlink(argument, "link").map(|()| String::new()),
        "hard-link" => fs::hard_link(argument, "hard-link").map(|()| String::new()),
        "shared-map" => shared_map(argument),
        "ioctl" => call(libc::SYS_ioctl, [0, libc::TIOCSTI.cast_signed(), name, 0, 0]),
        "chdir" => call(libc::SYS_chdir, [name, 0, 0, 0, 0]),
        "chroot" => call(libc::SYS_chroot, [name, 0, 0, 0, 0]),
        "mount" => {
            let kind = c"tmpfs".as_ptr() as c_long;
            call(libc::SYS_mount, [kind, name, kind, 0, 0])
        }
        "handle" => call(libc::SYS_open_by_handle_at, [AT, name, 0, 0, 0]),
        "watch" => call(libc::SYS_inotify_init1, [0; 5]),
        "watch-all" => call(libc::SYS_fanotify_init, [0; 5]),
        _ => return None,
    })
}

fn to_sockets(verb: &str, argument: &str) -> Outcome {
    let socket = |family: c_int, kind: c_int, protocol: c_int| {
        call(libc::SYS_socket, [family.into(), kind.into(), protocol.into(), 0, 0])
    };
    Some(match verb {
        "tcp" => TcpStream::connect(argument).map(|_| String::new()),
        "listen" => TcpListener::bind("127.0.0.1:0").map(|_| String::new()),
        "udp" => UdpSocket::bind("127.0.0.1:0")
            .and_then(|socket| socket.send_to(b"out", argument))
            .map(|_| String::new()),
        "unix" => UnixStream::pair().map(|_| String::new()),
        "unix-path" => UnixStream::connect(argument).map(|_| String::new()),
        "abstract" => abstract_socket(argument),
        "raw" => socket(libc::AF_INET, libc::SOCK_RAW, libc::IPPROTO_ICMP),
        "packet" => socket(libc::AF_PACKET, libc::SOCK_RAW, 0),
        "netlink" => socket(libc::AF_NETLINK, libc::SOCK_RAW, 0),
        "vsock" => socket(libc::AF_VSOCK, libc::SOCK_STREAM, 0),
        "crypto" => socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0),
        _ => return None,
    })
}

fn to_processes(verb: &str, argument: &str) -> Outcome {
    let path = CString::new(argument).unwrap_or_default();
    let name = path.as_ptr() as c_long;
    let number: c_long = argument.parse().unwrap_or(0);
    // SAFETY: asks for a number.
    let parent = c_long::from(unsafe { libc::getppid() });
    let term = c_long::from(libc::SIGTERM);
    Some(match verb {
        "fork" => fork(),
        "clone3" => clone3(),
        "thread" => std::thread::Builder::new().spawn(|| ()).map(|_| String::new()),
        "exec" => call(libc::SYS_execve, [name, 0, 0, 0, 0]),
        "exec-at" => call(libc::SYS_execveat, [AT, name, 0, 0, 0]),
        "ptrace" => call(libc::SYS_ptrace, [0, 0, 0, 0, 0]),
        "ptrace-parent" => call(libc::SYS_ptrace, [libc::PTRACE_ATTACH.into(), parent, 0, 0, 0]),
        "read-memory" => call(libc::SYS_process_vm_readv, [parent, 0, 0, 0, 0]),
        "write-memory" => call(libc::SYS_process_vm_writev, [parent, 0, 0, 0, 0]),
        "take-descriptor" => call(libc::SYS_pidfd_getfd, [0, 0, 0, 0, 0]),
        "kill" => call(libc::SYS_kill, [number, 0, 0, 0, 0]),
        "kill-parent" => call(libc::SYS_kill, [parent, term, 0, 0, 0]),
        "kill-all" => call(libc::SYS_kill, [-1, 0, 0, 0, 0]),
        "kill-thread" => call(libc::SYS_tgkill, [parent, parent, term, 0, 0]),
        "kill-queue" => call(libc::SYS_rt_sigqueueinfo, [parent, term, 0, 0, 0]),
        "kill-handle" => call(libc::SYS_pidfd_send_signal, [0, term, 0, 0, 0]),
        "open-process" => call(libc::SYS_pidfd_open, [parent, 0, 0, 0, 0]),
        "own-signals" => own_signals(argument.parse().unwrap_or(0)),
        _ => return None,
    })
}

fn to_itself(verb: &str, _: &str) -> Outcome {
    Some(match verb {
        "raise-limit" => raise_limit(),
        "leave-group" => call(libc::SYS_setpgid, [0, 0, 0, 0, 0]),
        "leave-session" => call(libc::SYS_setsid, [0; 5]),
        "outlive" => call(libc::SYS_prctl, [libc::PR_SET_PDEATHSIG.into(), 0, 0, 0, 0]),
        "dumpable" => call(libc::SYS_prctl, [libc::PR_SET_DUMPABLE.into(), 1, 0, 0, 0]),
        "administrator" => call(libc::SYS_setresuid, [0; 5]),
        "groups" => call(libc::SYS_setgroups, [0; 5]),
        "capabilities" => raise_capabilities(),
        "priority" => call(libc::SYS_setpriority, [0, 0, -20, 0, 0]),
        "schedule" => call(libc::SYS_sched_setscheduler, [0, libc::SCHED_FIFO.into(), 0, 0, 0]),
        "umask" => call(libc::SYS_umask, [0; 5]),
        "another-filter" => call(libc::SYS_seccomp, [1, 0, 0, 0, 0]),
        "code" => map_code(-1, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS),
        "code-of-file" => code_of_file(),
        "code-later" => code_later(libc::SYS_mprotect),
        "code-keyed" => code_later(libc::SYS_pkey_mprotect),
        "personality" => call(libc::SYS_personality, [0x0040_0000, 0, 0, 0, 0]),
        "nameless-file" => call(libc::SYS_memfd_create, [c"m".as_ptr() as c_long, 0, 0, 0, 0]),
        _ => return None,
    })
}

fn to_the_kernel(verb: &str, argument: &str) -> Outcome {
    Some(match verb {
        "io-uring" => call(libc::SYS_io_uring_setup, [1, 0, 0, 0, 0]),
        "unshare" => call(libc::SYS_unshare, [i64::from(libc::CLONE_NEWUSER), 0, 0, 0, 0]),
        "join" => call(libc::SYS_setns, [0, 0, 0, 0, 0]),
        "bpf" => call(libc::SYS_bpf, [0; 5]),
        "perf" => call(libc::SYS_perf_event_open, [0; 5]),
        "faults" => call(libc::SYS_userfaultfd, [0; 5]),
        "keys" => call(libc::SYS_keyctl, [0; 5]),
        "module" => call(libc::SYS_init_module, [0; 5]),
        "clock" => call(libc::SYS_clock_settime, [0; 5]),
        "reboot" => call(libc::SYS_reboot, [0; 5]),
        "log" => call(libc::SYS_syslog, [2, 0, 0, 0, 0]),
        "name-host" => call(libc::SYS_sethostname, [c"h".as_ptr() as c_long, 1, 0, 0, 0]),
        "shared-memory" => call(libc::SYS_shmget, [0, 4096, 0o1600, 0, 0]),
        "messages" => call(libc::SYS_msgget, [0, 0o1600, 0, 0, 0]),
        "queue" => call(libc::SYS_mq_open, [c"q".as_ptr() as c_long, 0o102, 0o600, 0, 0]),
        // SAFETY: no argument points to anything.
        "number" => call(argument.parse().unwrap_or(-1), [-1; 5]),
        #[cfg(target_arch = "x86_64")]
        "wide-numbers" => call(libc::SYS_getpid | 0x4000_0000, [0; 5]),
        #[cfg(target_arch = "x86_64")]
        "old-numbers" => Ok(old_numbers().to_string()),
        _ => return None,
    })
}

fn call(number: c_long, [a, b, c, d, e]: [c_long; 5]) -> io::Result<String> {
    // SAFETY: the pointers among the arguments are to live C strings, or null.
    let result = unsafe { libc::syscall(number, a, b, c, d, e) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(String::new()) }
}

/// Calls `getpid` in the way of a 32-bit program.
#[cfg(target_arch = "x86_64")]
fn old_numbers() -> i32 {
    let mut number: i32 = 20;
    // SAFETY: the call takes no argument and writes no memory; the kernel clears these registers.
    unsafe {
        std::arch::asm!("int 0x80", inout("eax") number, out("r8") _, out("r9") _, out("r10") _, out("r11") _);
    }
    number
}

fn fork() -> io::Result<String> {
    // SAFETY: the process is single-threaded.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => exit(0),
        pid => Ok(pid.to_string()),
    }
}

fn clone3() -> io::Result<String> {
    let arguments = [0_u64, 0, 0, 0, libc::SIGCHLD.cast_unsigned().into(), 0, 0, 0];
    // SAFETY: the pointer is to live memory of the given length; the child exits at once.
    match unsafe { libc::syscall(libc::SYS_clone3, arguments.as_ptr(), size_of_val(&arguments)) } {
        -1 => Err(io::Error::last_os_error()),
        0 => exit(0),
        pid => Ok(pid.to_string()),
    }
}

/// Calls `openat2`, whose flags no filter can see.
fn open_how(name: c_long) -> io::Result<String> {
    let how = [0_u64; 3];
    call(libc::SYS_openat2, [AT, name, how.as_ptr() as c_long, 24, 0])
}

/// Opens a handle that only names a file for reading.
fn reopen(file: &File) -> io::Result<String> {
    fs::read(format!("/proc/self/fd/{}", file.as_raw_fd())).map(|_| String::new())
}

fn shared_map(path: &str) -> io::Result<String> {
    let file = File::open(path)?;
    let rights = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a fresh mapping that nobody reads.
    let start =
        unsafe { libc::mmap(std::ptr::null_mut(), 4096, rights, libc::MAP_SHARED, file.as_raw_fd(), 0) };
    if start == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(String::new()) }
}

fn abstract_socket(name: &str) -> io::Result<String> {
    use std::os::linux::net::SocketAddrExt;
    let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
    UnixStream::connect_addr(&address).map(|_| String::new())
}

/// Makes the kernel send signals for us, with `F_SETOWN`.
fn own_signals(pid: i32) -> io::Result<String> {
    // SAFETY: takes integers.
    let result = unsafe { libc::fcntl(2, libc::F_SETOWN, pid) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(String::new()) }
}

fn raise_capabilities() -> io::Result<String> {
    let header: [u32; 2] = [0x2008_0522, 0];
    let sets: [u32; 6] = [u32::MAX; 6];
    call(libc::SYS_capset, [header.as_ptr() as c_long, sets.as_ptr() as c_long, 0, 0, 0])
}

fn map_code(fd: c_int, how: c_int) -> io::Result<String> {
    let rights = libc::PROT_READ | libc::PROT_EXEC;
    // SAFETY: asks for a fresh mapping.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), 4096, rights, how, fd, 0) };
    if start == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(String::new()) }
}

fn code_of_file() -> io::Result<String> {
    fs::File::create("code")?.set_len(4096)?;
    map_code(File::open("code")?.as_raw_fd(), libc::MAP_PRIVATE)
}

fn code_later(number: c_long) -> io::Result<String> {
    let rights = libc::PROT_READ | libc::PROT_WRITE;
    let how = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: asks for fresh memory, which nobody uses.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), 4096, rights, how, -1, 0) };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let rights = c_long::from(libc::PROT_READ | libc::PROT_EXEC);
    // The key of all memory without one; `mprotect` has no such argument.
    call(number, [start as c_long, 4096, rights, 0, 0])
}

fn raise_limit() -> io::Result<String> {
    let wanted = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the pointer is to a live local.
    let result = unsafe { libc::setrlimit(libc::RLIMIT_CPU, &raw const wanted) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(String::new()) }
}
