//! FAT12, FAT16, FAT32 and exFAT volumes: two kinds of boot sectors and folder entries, with shared code for
//! clusters, folders and files.
//!
//! Sources: \[FATGEN\] Microsoft, "FAT: General Overview of On-Disk Format", version 1.03; \[exFAT\] Microsoft,
//! "exFAT file system specification", revision 1.00.
//! Only what a call needs is held in memory: entries of the FAT and bits of the bitmap are read through a few
//! cached pages, a folder entry by entry, a file piece by piece.
//!
//! Short names are bytes of a code page that the volume does not name. Bytes above 0x7f are kept as stored, and
//! written like other names by [`crate::escape_name`].
//! The first letter of a deleted short name is lost and read as `_`; a long name keeps it.

mod boot;
mod bytes;
mod clusters;
mod deleted;
mod directory;
mod entry;
mod exfat_boot;
mod exfat_directory;
mod files;
mod long_name;
mod pieces;
mod remains;
mod slots;
mod stream;
mod table;
mod time;
mod usage;
mod volume;

pub(crate) use boot::is_boot_sector;
pub(crate) use files::FatFiles;
