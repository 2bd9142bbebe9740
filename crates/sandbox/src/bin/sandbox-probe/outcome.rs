//! What comes of a verb: a text, an error, or an end without a reply.

use std::io;

pub(super) type Outcome = Option<io::Result<String>>;

pub(super) fn exit(code: i32) -> ! {
    // SAFETY: `_exit` has no precondition.
    unsafe { libc::_exit(code) }
}

pub(super) fn spin() -> ! {
    loop {
        std::hint::spin_loop();
    }
}
