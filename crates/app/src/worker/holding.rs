//! Describes the confinement of workers.

use super::{ToolError, WorkerRequest, start_over};
use sandbox::{Confinement, Holding, LayerName, Reason};

/// Starts a worker without evidence and returns its confinement.
///
/// # Errors
///
/// Fails if no worker can be started or confined.
pub fn try_confinement(request: &WorkerRequest) -> Result<Confinement, ToolError> {
    start_over(request, Vec::new()).map(|zygote| *zygote.confinement())
}

/// Returns what a run records: a line for each layer that every worker has, and one for each additional layer that is active.
///
/// A verification expects every recorded layer to be active if tools ran confined, so a missing additional layer has no line.
pub(super) fn recorded(confinement: &Confinement) -> Vec<String> {
    let more = confinement.more().into_iter().filter(|(_, holding)| *holding == Holding::Holds);
    let layers = confinement.layers().into_iter().chain(more);
    layers.map(|(name, holding)| line(confinement, name, holding)).collect()
}

/// Describes the confinement of a worker, one line for each layer; a missing layer is followed by a hint how to get it.
pub fn describe_confinement(confinement: &Confinement) -> Vec<String> {
    let layers = confinement.layers().into_iter().chain(confinement.more());
    layers
        .flat_map(|(name, holding)| {
            let hint = remedy(name, holding).map(|hint| format!("  to have it: {hint}"));
            [line(confinement, name, holding)].into_iter().chain(hint)
        })
        .collect()
}

fn line(confinement: &Confinement, name: LayerName, holding: Holding) -> String {
    let name = match name {
        LayerName::Landlock => match confinement.landlock_abi {
            Some(abi) => format!("Landlock (ABI {abi}): files and network"),
            None => "Landlock: files and network".to_owned(),
        },
        LayerName::Seccomp => "seccomp: system calls".to_owned(),
        LayerName::NoNewPrivs => "no_new_privs: no privileges through executed files".to_owned(),
        LayerName::Limits => "limits: memory, CPU, file size, open files".to_owned(),
        LayerName::Capabilities => "capabilities: of an administrator's only to read files".to_owned(),
        LayerName::Identity => "user: not the administrator".to_owned(),
        LayerName::Namespaces => "namespaces: a network, an IPC and read-only mounts of its own".to_owned(),
        LayerName::Root => "root: nothing outside can be asked about".to_owned(),
    };
    let holds = match holding {
        Holding::Holds => "holds".to_owned(),
        Holding::Missing(Reason::NotRequested) => "not asked for".to_owned(),
        Holding::Missing(Reason::NotInKernel) => "missing: this kernel does not have it".to_owned(),
        Holding::Missing(Reason::SwitchedOff) => "missing: it was not enabled at boot".to_owned(),
        Holding::Missing(Reason::NotLinux) => "missing: Locard has it on Linux alone".to_owned(),
        Holding::Missing(Reason::NeedsAdministrator) => {
            "not here, and not needed: this user may make no namespaces".to_owned()
        }
        Holding::Missing(Reason::EvidenceNeedsUser) => {
            "not here, and not needed: evidence lies on a file system that asks who reads".to_owned()
        }
        Holding::Missing(Reason::Refused { errno }) => {
            format!("missing: the kernel refused it (error {errno})")
        }
    };
    format!("{name}: {holds}")
}

/// Returns how to get a missing layer.
fn remedy(name: LayerName, holding: Holding) -> Option<&'static str> {
    let Holding::Missing(reason) = holding else { return None };
    match (name, reason) {
        (_, Reason::NotRequested | Reason::NotLinux) | (LayerName::Limits, _) => None,
        (LayerName::Landlock, Reason::SwitchedOff) => Some(
            "add landlock to the list lsm= of the boot parameters (`cat /sys/kernel/security/lsm` shows it)",
        ),
        (LayerName::Landlock, Reason::NotInKernel) => Some(
            "Linux 5.13 or later, built with CONFIG_SECURITY_LANDLOCK; in a container a profile of system calls that knows Landlock",
        ),
        (LayerName::Landlock, _) => {
            Some("in a container a profile of system calls that allows Landlock (docs/releasing.md)")
        }
        (LayerName::Seccomp, _) => Some("Linux 4.14 or later, built with CONFIG_SECCOMP_FILTER"),
        (LayerName::NoNewPrivs, _) => Some("Linux 3.5 or later"),
        (LayerName::Capabilities, _) => Some("allow capget and capset in the profile of the container"),
        (LayerName::Identity, Reason::EvidenceNeedsUser) => {
            Some("copy the evidence to a local disk, or start as an ordinary user who may read it")
        }
        (LayerName::Identity, _) => Some(
            "start as an ordinary user, or with CAP_SETUID, CAP_SETGID, CAP_CHOWN and CAP_DAC_READ_SEARCH",
        ),
        (LayerName::Namespaces, Reason::NeedsAdministrator) => Some(
            "allow user namespaces (on Ubuntu by a profile of AppArmor for locard with `userns,`), or start as the administrator (in a container with CAP_SYS_ADMIN)",
        ),
        // The root comes with the namespaces; if something else prevents it, the error says so.
        (LayerName::Namespaces | LayerName::Root, _) => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn every() -> Confinement {
        Confinement {
            landlock: Holding::Holds,
            landlock_abi: Some(7),
            seccomp: Holding::Holds,
            no_new_privs: Holding::Holds,
            limits: Holding::Holds,
            capabilities: Holding::Holds,
            identity: Holding::Holds,
            namespaces: Holding::Holds,
            root: Holding::Holds,
        }
    }

    #[test]
    fn a_run_records_of_the_further_layers_those_that_hold() {
        assert_eq!(recorded(&every()).len(), 8);
        let without = Confinement { namespaces: Holding::Missing(Reason::NeedsAdministrator), ..every() };
        let lines = recorded(&without);
        assert_eq!(lines.len(), 7);
        assert!(lines.iter().all(|line| line.ends_with(": holds")), "{lines:?}");
    }

    #[test]
    fn what_is_missing_says_how_to_get_it() {
        assert_eq!(describe_confinement(&every()).len(), 8);
        for reason in [Reason::SwitchedOff, Reason::NotInKernel, Reason::Refused { errno: 1 }] {
            let lines = describe_confinement(&Confinement { landlock: Holding::Missing(reason), ..every() });
            assert!(lines.get(1).unwrap().starts_with("  to have it: "), "{lines:?}");
        }
        let lines = describe_confinement(&Confinement {
            namespaces: Holding::Missing(Reason::NeedsAdministrator),
            ..every()
        });
        assert_eq!(lines.len(), 9);
    }
}
