//! Small volumes written byte by byte: FAT12, FAT16, FAT32 and exFAT.

pub(crate) const SECTOR: usize = 512;
/// 2024-03-01.
pub(crate) const DATE: u16 = 0x5861;
/// 12:00:02.
pub(crate) const TIME: u16 = 0x6001;
pub(crate) const END: u32 = u32::MAX;

pub(crate) fn put(image: &mut [u8], at: usize, bytes: &[u8]) {
    image[at..at + bytes.len()].copy_from_slice(bytes);
}

/// Returns bytes that differ from those of any other seed and position.
pub(crate) fn content(seed: u8, length: usize) -> Vec<u8> {
    (0..length).map(|index| (index as u8).wrapping_mul(31) ^ (index >> 8) as u8 ^ seed).collect()
}

/// A FAT volume with clusters of one sector.
pub(crate) struct Fat {
    pub(crate) image: Vec<u8>,
    bits: usize,
    reserved: usize,
    fat_sectors: usize,
    root_sectors: usize,
}

impl Fat {
    pub(crate) fn new(bits: usize, clusters: usize) -> Fat {
        let fat_sectors = ((clusters + 2) * bits).div_ceil(8 * SECTOR);
        let (reserved, root_sectors) = if bits == 32 { (32, 0) } else { (1, 4) };
        let sectors = reserved + 2 * fat_sectors + root_sectors + clusters;
        let mut image = vec![0; sectors * SECTOR];
        put(&mut image, 0, &[0xeb, 0x3c, 0x90]);
        put(&mut image, 3, b"LOCARD  ");
        put(&mut image, 11, &512u16.to_le_bytes());
        image[13] = 1;
        put(&mut image, 14, &(reserved as u16).to_le_bytes());
        image[16] = 2;
        put(&mut image, 17, &((root_sectors * SECTOR / 32) as u16).to_le_bytes());
        put(&mut image, 32, &(sectors as u32).to_le_bytes());
        image[21] = 0xf8;
        let extended = if bits == 32 { 64 } else { 36 };
        if bits == 32 {
            put(&mut image, 36, &(fat_sectors as u32).to_le_bytes());
            put(&mut image, 44, &2u32.to_le_bytes());
        } else {
            put(&mut image, 22, &(fat_sectors as u16).to_le_bytes());
        }
        image[extended + 2] = 0x29;
        put(&mut image, extended + 3, &0x1234_abcdu32.to_le_bytes());
        put(&mut image, extended + 7, b"NO NAME    ");
        put(&mut image, 510, &[0x55, 0xaa]);
        let mut fat = Fat { image, bits, reserved, fat_sectors, root_sectors };
        fat.entry(0, END);
        fat.entry(1, END);
        if bits == 32 {
            fat.entry(2, END);
        }
        fat
    }

    /// Returns the offset of an entry in the first FAT.
    pub(crate) fn entry_place(&self, cluster: u32) -> usize {
        self.reserved * SECTOR + cluster as usize * self.bits / 8
    }

    /// Writes an entry of both FATs.
    pub(crate) fn entry(&mut self, cluster: u32, value: u32) {
        for copy in 0..2 {
            let at = self.entry_place(cluster) + copy * self.fat_sectors * SECTOR;
            match self.bits {
                12 => {
                    let pair = u16::from_le_bytes([self.image[at], self.image[at + 1]]);
                    let value = (value & 0xfff) as u16;
                    let pair = if cluster.is_multiple_of(2) {
                        pair & 0xf000 | value
                    } else {
                        pair & 0x000f | value << 4
                    };
                    put(&mut self.image, at, &pair.to_le_bytes());
                }
                16 => put(&mut self.image, at, &(value as u16).to_le_bytes()),
                _ => put(&mut self.image, at, &(value & 0x0fff_ffff).to_le_bytes()),
            }
        }
    }

    pub(crate) fn chain(&mut self, clusters: &[u32]) {
        for pair in clusters.windows(2) {
            self.entry(pair[0], pair[1]);
        }
        self.entry(*clusters.last().unwrap(), END);
    }

    pub(crate) fn root(&self) -> usize {
        (self.reserved + 2 * self.fat_sectors) * SECTOR
    }

    pub(crate) fn place(&self, cluster: u32) -> usize {
        self.root() + (self.root_sectors + cluster as usize - 2) * SECTOR
    }

    /// Writes a file into its clusters, in their order.
    pub(crate) fn write(&mut self, clusters: &[u32], bytes: &[u8]) {
        for (cluster, piece) in clusters.iter().zip(bytes.chunks(SECTOR)) {
            let at = self.place(*cluster);
            put(&mut self.image, at, piece);
        }
    }

    /// Appends slots to the folder that begins at this byte; returns the byte of the last one.
    pub(crate) fn append(&mut self, folder: usize, slots: &[[u8; 32]]) -> usize {
        let mut at = folder;
        while self.image[at] != 0 {
            at += 32;
        }
        for slot in slots {
            put(&mut self.image, at, slot);
            at += 32;
        }
        at - 32
    }

    /// Creates a folder in one cluster, with `.` and `..`.
    pub(crate) fn folder(&mut self, cluster: u32, parent: u32) -> usize {
        let at = self.place(cluster);
        self.append(at, &[slot(b".          ", 0x10, cluster, 0), slot(b"..         ", 0x10, parent, 0)]);
        at
    }
}

/// Returns an entry with a short name.
pub(crate) fn slot(name: &[u8; 11], attributes: u8, first: u32, size: u32) -> [u8; 32] {
    let mut slot = [0; 32];
    put(&mut slot, 0, name);
    slot[11] = attributes;
    slot[13] = 150;
    put(&mut slot, 14, &TIME.to_le_bytes());
    put(&mut slot, 16, &DATE.to_le_bytes());
    put(&mut slot, 18, &DATE.to_le_bytes());
    put(&mut slot, 20, &((first >> 16) as u16).to_le_bytes());
    put(&mut slot, 22, &TIME.to_le_bytes());
    put(&mut slot, 24, &DATE.to_le_bytes());
    put(&mut slot, 26, &(first as u16).to_le_bytes());
    put(&mut slot, 28, &size.to_le_bytes());
    slot
}

/// Returns the parts of a long name followed by the entry.
pub(crate) fn long(name: &str, entry: [u8; 32]) -> Vec<[u8; 32]> {
    let sum = entry[..11].iter().fold(0u8, |sum, byte| sum.rotate_right(1).wrapping_add(*byte));
    let mut units: Vec<u16> = name.encode_utf16().collect();
    if !units.len().is_multiple_of(13) {
        units.push(0);
    }
    units.resize(units.len().next_multiple_of(13), 0xffff);
    let mut slots = Vec::new();
    for (index, letters) in units.chunks(13).enumerate() {
        let mut part = [0; 32];
        part[0] = index as u8 + 1;
        part[11] = 0x0f;
        part[13] = sum;
        let places = (1..11).step_by(2).chain((14..26).step_by(2)).chain((28..32).step_by(2));
        for (letter, at) in letters.iter().zip(places) {
            put(&mut part, at, &letter.to_le_bytes());
        }
        slots.insert(0, part);
    }
    slots[0][0] |= 0x40;
    slots.push(entry);
    slots
}

/// Marks every slot as deleted.
pub(crate) fn deleted(mut slots: Vec<[u8; 32]>) -> Vec<[u8; 32]> {
    for slot in &mut slots {
        slot[0] = 0xe5;
    }
    slots
}

/// An exFAT volume with clusters of one sector: the FAT in sectors 24 to 31, the bitmap in cluster 2, the root folder in cluster 3.
pub(crate) struct ExFat {
    pub(crate) image: Vec<u8>,
}

impl ExFat {
    pub(crate) const CLUSTERS: u32 = 256;

    pub(crate) fn new() -> ExFat {
        let sectors = 32 + ExFat::CLUSTERS as usize;
        let mut image = vec![0; sectors * SECTOR];
        put(&mut image, 0, &[0xeb, 0x76, 0x90]);
        put(&mut image, 3, b"EXFAT   ");
        put(&mut image, 72, &(sectors as u64).to_le_bytes());
        for (at, value) in [(80, 24), (84, 8), (88, 32), (92, ExFat::CLUSTERS), (96, 3), (100, 0xfeed_1234)] {
            put(&mut image, at, &value.to_le_bytes());
        }
        put(&mut image, 104, &0x0100u16.to_le_bytes());
        put(&mut image, 108, &[9, 0, 1, 0x80]);
        put(&mut image, 510, &[0x55, 0xaa]);
        let mut volume = ExFat { image };
        volume.sign();
        volume.chain(&[2]);
        volume.chain(&[3]);
        let root = volume.place(3);
        let mut label = [0; 32];
        put(&mut label, 0, &[0x83, 3]);
        put(&mut label, 2, &[b'E', 0, b'x', 0, 0xfc, 0]);
        let mut bitmap = [0; 32];
        bitmap[0] = 0x81;
        put(&mut bitmap, 20, &2u32.to_le_bytes());
        put(&mut bitmap, 24, &32u64.to_le_bytes());
        volume.append(root, &[label, bitmap]);
        volume
    }

    /// Writes the checksum of the boot region.
    fn sign(&mut self) {
        let mut sum = 0u32;
        for (index, byte) in self.image[..11 * SECTOR].iter().enumerate() {
            if !matches!(index, 106 | 107 | 112) {
                sum = sum.rotate_right(1).wrapping_add(u32::from(*byte));
            }
        }
        for index in 0..SECTOR / 4 {
            put(&mut self.image, 11 * SECTOR + 4 * index, &sum.to_le_bytes());
        }
    }

    pub(crate) fn place(&self, cluster: u32) -> usize {
        (32 + cluster as usize - 2) * SECTOR
    }

    /// Marks clusters as in use, or as free.
    pub(crate) fn mark(&mut self, clusters: &[u32], used: bool) {
        for cluster in clusters {
            let index = *cluster as usize - 2;
            let (at, bit) = (self.place(2) + index / 8, 1 << (index % 8));
            if used { self.image[at] |= bit } else { self.image[at] &= !bit }
        }
    }

    /// Creates a chain of clusters that are in use.
    pub(crate) fn chain(&mut self, clusters: &[u32]) {
        self.mark(clusters, true);
        for (index, cluster) in clusters.iter().enumerate() {
            let next = clusters.get(index + 1).copied().unwrap_or(END);
            put(&mut self.image, 24 * SECTOR + 4 * *cluster as usize, &next.to_le_bytes());
        }
    }

    pub(crate) fn write(&mut self, clusters: &[u32], bytes: &[u8]) {
        for (cluster, piece) in clusters.iter().zip(bytes.chunks(SECTOR)) {
            let at = self.place(*cluster);
            put(&mut self.image, at, piece);
        }
    }

    /// Appends slots to the folder that begins at this byte; returns the byte of the first one.
    pub(crate) fn append(&mut self, folder: usize, slots: &[[u8; 32]]) -> usize {
        let mut at = folder;
        while self.image[at] != 0 {
            at += 32;
        }
        for (index, slot) in slots.iter().enumerate() {
            put(&mut self.image, at + 32 * index, slot);
        }
        at
    }
}

/// The fields of an exFAT entry.
pub(crate) struct ExFile<'a> {
    pub(crate) name: &'a str,
    pub(crate) first: u32,
    pub(crate) size: u64,
    pub(crate) written: u64,
    pub(crate) contiguous: bool,
    pub(crate) directory: bool,
    pub(crate) offset: u8,
}

impl ExFile<'_> {
    /// Returns the slots of the entry.
    pub(crate) fn slots(&self) -> Vec<[u8; 32]> {
        let units: Vec<u16> = self.name.encode_utf16().collect();
        let mut file = [0; 32];
        file[0] = 0x85;
        file[1] = 1 + units.len().div_ceil(15) as u8;
        file[4] = if self.directory { 0x10 } else { 0x20 };
        for at in [8, 12, 16] {
            put(&mut file, at, &TIME.to_le_bytes());
            put(&mut file, at + 2, &DATE.to_le_bytes());
        }
        put(&mut file, 20, &[150, 7, self.offset, self.offset, 0]);
        let mut stream = [0; 32];
        put(&mut stream, 0, &[0xc0, if self.contiguous { 3 } else { 1 }, 0, units.len() as u8]);
        put(&mut stream, 8, &self.written.to_le_bytes());
        put(&mut stream, 20, &self.first.to_le_bytes());
        put(&mut stream, 24, &self.size.to_le_bytes());
        let mut slots = vec![file, stream];
        for letters in units.chunks(15) {
            let mut name = [0; 32];
            name[0] = 0xc1;
            for (index, letter) in letters.iter().enumerate() {
                put(&mut name, 2 + 2 * index, &letter.to_le_bytes());
            }
            slots.push(name);
        }
        let mut sum = 0u16;
        for (index, byte) in slots.concat().iter().enumerate() {
            if !matches!(index, 2 | 3) {
                sum = sum.rotate_right(1).wrapping_add(u16::from(*byte));
            }
        }
        put(&mut slots[0], 2, &sum.to_le_bytes());
        slots
    }
}

/// Clears the in-use bit of each slot.
pub(crate) fn freed(mut slots: Vec<[u8; 32]>) -> Vec<[u8; 32]> {
    for slot in &mut slots {
        slot[0] &= 0x7f;
    }
    slots
}
