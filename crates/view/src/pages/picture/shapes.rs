//! A shape for each kind of entity, within 18 by 18 pixels around 0,0. The style sheet sets the colour.

use graph::connections::EntityKind;

/// Returns the outline as an SVG path.
pub(super) const fn outline(kind: EntityKind) -> &'static str {
    match kind {
        // A screen on its foot.
        EntityKind::Host => "M-9-8H9V4H2V6H5V8H-5V6H-2V4H-9Z",
        // A head over shoulders.
        EntityKind::Account => "M0-9A4 4 0 0 1 0-1A4 4 0 0 1 0-9ZM-8 9A8 8 0 0 1 8 9Z",
        EntityKind::Program => "M-5-9H5L9 0L5 9H-5L-9 0Z",
        // A sheet with a folded corner.
        EntityKind::File => "M-7-9H3L7-5V9H-7Z",
        EntityKind::Process => "M-7-9L9 0L-7 9Z",
        EntityKind::Service => "M-4-9H4L9-4V4L4 9H-4L-9 4V-4Z",
        // A clock.
        EntityKind::ScheduledTask => "M0-9A9 9 0 0 1 0 9A9 9 0 0 1 0-9ZM-1-6V1H5V-1H1V-6Z",
        EntityKind::RunEntry => "M-9-5H0V-9L9 0L0 9V5H-9Z",
        EntityKind::RegistryKey => "M0-9L9 0L0 9L-9 0Z",
        // A ring.
        EntityKind::Address => "M0-9A9 9 0 0 1 0 9A9 9 0 0 1 0-9ZM0-4A4 4 0 0 0 0 4A4 4 0 0 0 0-4Z",
        EntityKind::Domain => "M0-7A9 7 0 0 1 0 7A9 7 0 0 1 0-7Z",
        EntityKind::Url => "M-5-7H9L5 7H-9Z",
        // A folder.
        EntityKind::Share => "M-9-7H-2L0-4H9V8H-9Z",
        // A USB stick.
        EntityKind::Device => "M-3-9H3V-5H5V9H-5V-5H-3Z",
        // A half-open door.
        EntityKind::LogonSession => "M-7-9H7V9H-7ZM-4-6V6L2 9V-3Z",
        EntityKind::Email => "M-9-7L0 0L9-7V7H-9Z",
    }
}

/// Returns the class of kinds with the same colour: actors, running things, persistence, stored things, network, devices.
pub(super) const fn family(kind: EntityKind) -> &'static str {
    match kind {
        EntityKind::Host | EntityKind::LogonSession => "k-host",
        EntityKind::Account | EntityKind::Email => "k-account",
        EntityKind::Program | EntityKind::Process => "k-program",
        EntityKind::Service | EntityKind::ScheduledTask | EntityKind::RunEntry => "k-starts",
        EntityKind::File | EntityKind::RegistryKey => "k-file",
        EntityKind::Address | EntityKind::Domain | EntityKind::Url | EntityKind::Share => "k-net",
        EntityKind::Device => "k-device",
    }
}
