//! Attempts to use up the machine's resources.

use crate::outcome::{Outcome, spin};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

/// Runs an attempt to use up memory, disk, descriptors, time or the reader of an output.
pub(crate) fn exhaust(verb: &str, argument: &str, scratch: &Path) -> Outcome {
    Some(match verb {
        "allocate" => loop {
            std::hint::black_box(Box::leak(vec![0u8; 64 << 20].into_boxed_slice()).len());
        },
        "reserve" => reserve(argument.parse().unwrap_or(0)),
        "lock-memory" => lock_memory(),
        "fill" => fill(),
        "fill-disk" => fill_disk(scratch),
        "fill-unlinked" => fill_unlinked(scratch),
        "fill-folders" => fill_folders(scratch),
        "limit-files" => limit_files(scratch),
        "deep" => deep(argument.parse().unwrap_or(0)),
        "sleep" => loop {
            std::thread::sleep(Duration::from_secs(3600));
        },
        "flood" => loop {
            // SAFETY: a plain write to the reply pipe.
            unsafe { libc::write(3, [0u8; 4096].as_ptr().cast(), 4096) };
        },
        "flood-errors" => {
            for _ in 0..10_000 {
                // SAFETY: a plain write to standard error, which may drop it.
                unsafe { libc::write(2, [b'x'; 4096].as_ptr().cast(), 4096) };
            }
            Ok("flooded".to_owned())
        }
        "stop" => {
            // SAFETY: takes integers: a signal to ourselves.
            unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), libc::getpid(), libc::SIGSTOP) };
            spin()
        }
        _ => return None,
    })
}

/// Reserves address space only, as much as is asked for.
fn reserve(bytes: usize) -> io::Result<String> {
    let rights = libc::PROT_READ | libc::PROT_WRITE;
    let how = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: asks for fresh memory.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, rights, how, -1, 0) };
    if start == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(String::new()) }
}

fn lock_memory() -> io::Result<String> {
    // SAFETY: takes an integer.
    let result = unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(String::new()) }
}

fn fill() -> io::Result<String> {
    let mut file = File::create("filled")?;
    loop {
        file.write_all(&[1; 1 << 16])?;
    }
}

/// Writes file after file, each within the limit for one file; slowly, so that it shows what ends it.
fn fill_disk(scratch: &Path) -> io::Result<String> {
    for number in 0_u64.. {
        let mut file = File::create(scratch.join(number.to_string()))?;
        file.write_all(&[1; 1 << 16])?;
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(String::new())
}

/// Makes only directory entries.
fn fill_folders(scratch: &Path) -> io::Result<String> {
    for number in 0_u64.. {
        fs::create_dir(scratch.join(number.to_string()))?;
    }
    Ok(String::new())
}

/// Fills the disk with files that have no name any more.
fn fill_unlinked(scratch: &Path) -> io::Result<String> {
    let mut files = Vec::new();
    for number in 0_u64.. {
        let path = scratch.join(number.to_string());
        let mut file = File::create(&path)?;
        fs::remove_file(&path)?;
        for _ in 0..1024 {
            file.write_all(&[1; 1 << 16])?;
        }
        files.push(file);
    }
    Ok(String::new())
}

fn limit_files(scratch: &Path) -> io::Result<String> {
    let mut files = Vec::new();
    loop {
        files.push(File::create(scratch.join(files.len().to_string()))?);
    }
}

/// Makes nested folders, as deep as a path may be long.
fn deep(levels: usize) -> io::Result<String> {
    let mut path = std::path::PathBuf::new();
    for _ in 0..levels {
        path.push("d");
    }
    fs::create_dir_all(&path).map(|()| String::new())
}
