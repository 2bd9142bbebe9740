//! The data of a value of `MountedDevices`: the device of a drive letter or volume.
//!
//! There are three forms: the signature of an MBR disk and the offset of the partition in 12 bytes; `DMIO:ID:`
//! and the GUID of a GPT partition;
//! the name of the device in UTF-16LE, for removable devices.
//! Based on Joachim Metz, "Windows Registry knowledge base", section "Mounted devices"; Microsoft has published
//! nothing about it.

/// Signature before the GUID of a GPT partition.
const GPT_MARK: &[u8; 8] = b"DMIO:ID:";

/// The device behind a drive letter or volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MountedDevice {
    /// A partition of a disk with an MBR.
    Mbr {
        /// Signature of the disk, at 0x1B8 of its MBR.
        signature: u32,
        /// Offset of the partition in bytes.
        offset: u64,
    },
    /// A partition of a GPT disk.
    Gpt {
        /// Unique GUID of the partition, in braces.
        partition: String,
    },
    /// The name of a device.
    Text(String),
    /// None of these.
    Unknown,
}

impl MountedDevice {
    /// Reads the data of a value.
    pub fn read(data: &[u8]) -> MountedDevice {
        if let Some((mark, rest)) = data.split_first_chunk::<8>()
            && mark == GPT_MARK
            && let Ok(guid) = rest.try_into()
        {
            return MountedDevice::Gpt { partition: guid_text(guid) };
        }
        if data.len() == 12
            && let Some((signature, rest)) = data.split_first_chunk::<4>()
            && let Some(offset) = rest.first_chunk::<8>()
        {
            let (signature, offset) = (u32::from_le_bytes(*signature), u64::from_le_bytes(*offset));
            return MountedDevice::Mbr { signature, offset };
        }
        text(data).map_or(MountedDevice::Unknown, MountedDevice::Text)
    }
}

/// Returns UTF-16LE text without control characters; NULs at its end are optional.
fn text(data: &[u8]) -> Option<String> {
    let (pairs, odd) = data.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
    let text = String::from_utf16(&units).ok()?;
    let text = text.trim_end_matches('\0');
    (odd.is_empty() && !text.is_empty() && !text.chars().any(char::is_control)).then(|| text.to_owned())
}

/// Formats a GUID as stored by Windows ([MS-DTYP] 2.3.4.2): the first three fields are little-endian.
fn guid_text(bytes: &[u8; 16]) -> String {
    let [a, b, c, d, e, f, g, h, rest @ ..] = bytes;
    let first = u32::from_le_bytes([*a, *b, *c, *d]);
    let (second, third) = (u16::from_le_bytes([*e, *f]), u16::from_le_bytes([*g, *h]));
    let [i, j, node @ ..] = rest;
    let node: String = node.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{{{first:08x}-{second:04x}-{third:04x}-{i:02x}{j:02x}-{node}}}")
}

#[cfg(test)]
mod tests {
    use super::MountedDevice;

    #[test]
    fn each_form_is_told() {
        let mbr = [0x78, 0x56, 0x34, 0x12, 0, 0, 0x10, 0, 0, 0, 0, 0];
        assert_eq!(
            MountedDevice::read(&mbr),
            MountedDevice::Mbr { signature: 0x1234_5678, offset: 0x10_0000 }
        );
        let mut gpt = b"DMIO:ID:".to_vec();
        gpt.extend(1..=16);
        let partition = "{04030201-0605-0807-090a-0b0c0d0e0f10}".to_owned();
        assert_eq!(MountedDevice::read(&gpt), MountedDevice::Gpt { partition });
        let name = "_??_USBSTOR#Disk&Ven_X";
        let wide: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(MountedDevice::read(&wide), MountedDevice::Text(name.to_owned()));
    }

    #[test]
    fn other_data_is_not_explained() {
        for data in [&b""[..], b"x", b"\0\0", b"DMIO:ID:short", &[1, 0, 2, 0], &[0, 0xD8]] {
            let read = MountedDevice::read(data);
            assert!(!matches!(read, MountedDevice::Gpt { .. } | MountedDevice::Mbr { .. }), "{data:?}");
        }
        assert_eq!(MountedDevice::read(&[1, 0, 2, 0]), MountedDevice::Unknown);
    }

    #[test]
    fn every_length_of_data_is_read_without_a_panic() {
        for length in 0..64u8 {
            for byte in [0, 0x41, 0xD8, 0xFF] {
                let mut data = vec![byte; usize::from(length)];
                let expected = MountedDevice::read(&data);
                assert_eq!(matches!(expected, MountedDevice::Mbr { .. }), length == 12);
                data.splice(0..0, *b"DMIO:ID:");
                let marked = MountedDevice::read(&data);
                assert_eq!(matches!(marked, MountedDevice::Gpt { .. }), length == 16);
            }
        }
    }
}
