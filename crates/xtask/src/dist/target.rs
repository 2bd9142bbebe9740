//! The machines that a release is built for.

/// A target: always Linux with musl, so that the program depends on nothing on the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// 64-bit PCs.
    X86_64,
    /// 64-bit ARM.
    Aarch64,
}

/// All targets.
pub(super) const TARGETS: [Target; 2] = [Target::X86_64, Target::Aarch64];

impl Target {
    /// Returns Rust's name for it.
    pub(super) fn triple(self) -> &'static str {
        match self {
            Target::X86_64 => "x86_64-unknown-linux-musl",
            Target::Aarch64 => "aarch64-unknown-linux-musl",
        }
    }

    /// Returns Debian's name for it.
    pub(super) fn debian(self) -> &'static str {
        match self {
            Target::X86_64 => "amd64",
            Target::Aarch64 => "arm64",
        }
    }

    fn processor(self) -> &'static str {
        match self {
            Target::X86_64 => "x86_64",
            Target::Aarch64 => "aarch64",
        }
    }

    /// Returns the target with this name.
    pub(super) fn named(name: &str) -> Option<Target> {
        TARGETS.into_iter().find(|target| target.triple() == name)
    }

    /// Checks whether its programs run on this machine.
    pub(super) fn is_native(self) -> bool {
        cfg!(target_os = "linux") && self.processor() == std::env::consts::ARCH
    }
}
