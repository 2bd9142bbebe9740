//! How types of the public interface are encoded in a frame.

use crate::confinement::{Confinement, Holding, Reason};
use crate::ending::SetupStep;
use crate::frame_error::FrameError;
use crate::linux::frame::{Reader, Writer};

impl Confinement {
    /// Adds the fields to a frame.
    pub(crate) fn write(&self, mut to: Writer) -> Writer {
        for (_, holding) in self.layers().into_iter().chain(self.more()) {
            let (code, detail) = match holding {
                Holding::Holds => (0, 0),
                Holding::Missing(Reason::NotRequested) => (1, 0),
                Holding::Missing(Reason::NotInKernel) => (2, 0),
                Holding::Missing(Reason::SwitchedOff) => (3, 0),
                Holding::Missing(Reason::Refused { errno }) => (4, errno),
                Holding::Missing(Reason::NotLinux) => (5, 0),
                Holding::Missing(Reason::NeedsAdministrator) => (6, 0),
                Holding::Missing(Reason::EvidenceNeedsUser) => (7, 0),
            };
            to = to.u8(code).i32(detail);
        }
        to.u64(self.landlock_abi.map_or(0, u64::from))
    }

    /// Takes the fields from a frame.
    pub(crate) fn read(from: &mut Reader<'_>) -> Result<Self, FrameError> {
        Ok(Self {
            landlock: read_holding(from)?,
            seccomp: read_holding(from)?,
            no_new_privs: read_holding(from)?,
            limits: read_holding(from)?,
            capabilities: read_holding(from)?,
            identity: read_holding(from)?,
            namespaces: read_holding(from)?,
            root: read_holding(from)?,
            landlock_abi: u32::try_from(from.u64()?).ok().filter(|abi| *abi != 0),
        })
    }
}

fn read_holding(from: &mut Reader<'_>) -> Result<Holding, FrameError> {
    let (code, errno) = (from.u8()?, from.i32()?);
    match code {
        0 => Ok(Holding::Holds),
        1 => Ok(Holding::Missing(Reason::NotRequested)),
        2 => Ok(Holding::Missing(Reason::NotInKernel)),
        3 => Ok(Holding::Missing(Reason::SwitchedOff)),
        4 => Ok(Holding::Missing(Reason::Refused { errno })),
        5 => Ok(Holding::Missing(Reason::NotLinux)),
        6 => Ok(Holding::Missing(Reason::NeedsAdministrator)),
        7 => Ok(Holding::Missing(Reason::EvidenceNeedsUser)),
        other => Err(FrameError::Field { field: "holding", actual: u64::from(other) }),
    }
}

impl SetupStep {
    const ALL: [Self; 8] = [
        Self::Scratch,
        Self::Pipes,
        Self::Fork,
        Self::Group,
        Self::Descriptors,
        Self::Limits,
        Self::Landlock,
        Self::Seccomp,
    ];

    /// Returns the number of this step in a frame.
    pub(crate) fn number(self) -> u8 {
        Self::ALL.iter().zip(1..).find(|(step, _)| **step == self).map_or(0, |(_, number)| number)
    }

    /// Returns the step with this number in a frame.
    pub(crate) fn from_number(number: u8) -> Result<Self, FrameError> {
        let unknown = FrameError::Field { field: "step", actual: u64::from(number) };
        Self::ALL.iter().zip(1..).find(|(_, other)| *other == number).map(|(step, _)| *step).ok_or(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setup_step_has_a_number_of_its_own() {
        for step in SetupStep::ALL {
            assert_eq!(SetupStep::from_number(step.number()), Ok(step));
        }
        assert!(SetupStep::from_number(0).is_err());
    }
}
