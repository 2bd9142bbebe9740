//! A worker that does what a request says, in particular hostile acts; the crate's tests and benchmark use it.
//!
//! A request is a verb and an argument, separated by a space.
//! The reply is `ok ` and a text, or `errno ` and the system's error number.
#![expect(unsafe_code, reason = "hostile acts have no safe wrapper")]

mod exhaust;
mod outcome;
mod trespass;

use outcome::{Outcome, exit, spin};
use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let argument = std::env::args().nth(1);
    if argument.as_deref() != Some(sandbox::WORKER_ARGUMENT) {
        return ExitCode::from(2);
    }
    match sandbox::serve(reply) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Replies to `file N` with a file of N zeros, followed by a word.
fn reply(request: &[u8], scratch: &Path) -> sandbox::Reply {
    let length = request.strip_prefix(b"file ").and_then(|text| std::str::from_utf8(text).ok()?.parse().ok());
    let Some(length) = length else { return handle(request, scratch).into() };
    let path = scratch.join("reply");
    let made = File::create_new(&path).and_then(|file| file.set_len(length)).and_then(|()| File::open(&path));
    sandbox::Reply { file: made.ok(), bytes: b"behind".to_vec() }
}

fn handle(request: &[u8], scratch: &Path) -> Vec<u8> {
    let text = String::from_utf8_lossy(request);
    let (verb, argument) = text.split_once(' ').unwrap_or((&text, ""));
    if verb == "zeros" {
        return vec![0; argument.parse().unwrap_or(0)];
    }
    if verb == "doing" {
        let (what, request) = argument.split_once(' ').unwrap_or((argument, "panic"));
        let told =
            File::create(scratch.join(sandbox::DOING)).and_then(|mut file| file.write_all(what.as_bytes()));
        return told.map_or_else(|_| b"not told".to_vec(), |()| handle(request.as_bytes(), scratch));
    }
    if verb == "doing-link" {
        let linked = std::os::unix::fs::symlink(argument, scratch.join(sandbox::DOING));
        return linked.map_or_else(|_| b"not linked".to_vec(), |()| handle(b"abort", scratch));
    }
    let result = die(verb, argument)
        .or_else(|| work(verb, argument, scratch))
        .or_else(|| exhaust::exhaust(verb, argument, scratch))
        .or_else(|| trespass::trespass(verb, argument))
        .unwrap_or_else(|| Err(io::Error::from_raw_os_error(libc::ENOSYS)));
    match result {
        Ok(text) => format!("ok {text}").into_bytes(),
        Err(error) => format!("errno {}", error.raw_os_error().unwrap_or(0)).into_bytes(),
    }
}

/// Ends the process abnormally.
#[expect(clippy::panic, reason = "a panic is what the test asks for")]
fn die(verb: &str, argument: &str) -> Outcome {
    match verb {
        "abort" => std::process::abort(),
        "crash" => {
            // SAFETY: none; this is the crash that the test asks for.
            unsafe { std::ptr::null_mut::<u8>().write_volatile(1) };
            None
        }
        "panic" => panic!("{argument}"),
        "panic-long" => panic!("{}", "long ".repeat(10_000)),
        "overflow" => Some(Ok(recurse(1).to_string())),
        "exit" => exit(argument.parse().unwrap_or(0)),
        "spin" => spin(),
        "spin-deaf" => {
            block_signals();
            spin()
        }
        "spin-brood" => {
            // SAFETY: the process is single-threaded.
            unsafe { libc::fork() };
            spin()
        }
        "forge" => {
            // SAFETY: a plain write to the reply pipe, with bytes that are not a frame.
            unsafe { libc::write(3, argument.as_ptr().cast(), argument.len()) };
            exit(0)
        }
        "kill-zygote" => {
            // SAFETY: takes two integers.
            unsafe { libc::kill(libc::getppid(), libc::SIGKILL) };
            spin()
        }
        _ => None,
    }
}

fn recurse(depth: u64) -> u64 {
    let room = std::hint::black_box([depth; 64]);
    room[0] + if depth == u64::MAX { 0 } else { recurse(depth + 1) }
}

fn block_signals() {
    // SAFETY: the set is a live local that `sigfillset` initialises.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigfillset(&raw mut set);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const set, std::ptr::null_mut());
    }
}

/// Does what parsers normally do.
fn work(verb: &str, argument: &str, scratch: &Path) -> Outcome {
    Some(match verb {
        "echo" => Ok(argument.to_owned()),
        "read" => fs::read_to_string(argument),
        "quietly" => {
            OpenOptions::new().read(true).custom_flags(libc::O_NOATIME).open(argument).map(|_| String::new())
        }
        "list" => list(Path::new(argument)),
        "list-scratch" => list(scratch),
        "map" => map(argument),
        "scratch" => use_scratch(scratch),
        "scratch-path" => fs::create_dir_all(scratch.join("a/b")).map(|()| scratch.display().to_string()),
        "shut-scratch" => shut(scratch),
        "print" => {
            say(argument);
            Ok(String::new())
        }
        "environment" => Ok(std::env::vars_os().count().to_string()),
        "open-files" => Ok(open_files()),
        _ => return None,
    })
}

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "stray prints must not reach the parent")]
fn say(what: &str) {
    print!("{what}");
    eprint!("{what}");
    // If this fails, there is nothing to do but continue.
    let _ = io::stdout().flush();
}

fn list(folder: &Path) -> io::Result<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.push(entry?.file_name().display().to_string());
    }
    names.sort();
    Ok(names.join(" "))
}

fn map(path: &str) -> io::Result<String> {
    let file = File::open(path)?;
    let length = usize::try_from(file.metadata()?.len()).unwrap_or(0);
    // SAFETY: the mapping is checked, `length` bytes long, and the test leaves the file alone.
    let bytes = unsafe {
        let fd = file.as_raw_fd();
        let start = libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ, libc::MAP_PRIVATE, fd, 0);
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        std::slice::from_raw_parts(start.cast::<u8>(), length)
    };
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

fn use_scratch(scratch: &Path) -> io::Result<String> {
    fs::create_dir(scratch.join("folder"))?;
    let path = scratch.join("folder/file");
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path)?;
    file.write_all(b"first and second")?;
    file.set_len(5)?;
    file.sync_all()?;
    file.rewind()?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    fs::rename(&path, "moved")?;
    fs::remove_dir(scratch.join("folder"))?;
    fs::remove_file("moved")?;
    Ok(text)
}

fn shut(scratch: &Path) -> io::Result<String> {
    let path = CString::new(scratch.join("shut").display().to_string())?;
    // SAFETY: the path is a live C string.
    let made = unsafe { libc::mkdir(path.as_ptr(), 0) };
    if made < 0 { Err(io::Error::last_os_error()) } else { Ok(scratch.display().to_string()) }
}

fn open_files() -> String {
    // SAFETY: asks for the flags of numbers that need not be open.
    let open = (0..1024).filter(|fd| unsafe { libc::fcntl(*fd, libc::F_GETFD) } >= 0);
    open.map(|fd| fd.to_string()).collect::<Vec<_>>().join(" ")
}
