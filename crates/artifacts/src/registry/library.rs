//! nt-hive behind a guard: it panics on some damage, and provides neither offsets nor times.

use std::panic::{AssertUnwindSafe, catch_unwind};

use nt_hive::{KeyNode, KeyValue, KeyValueData, KeyValues, NtHiveNameString, SubKeyNodes};

use super::header::{BASE_BLOCK, OpenError};

/// A hive opened by nt-hive.
pub(crate) struct Library<'a>(nt_hive::Hive<&'a [u8]>);

/// A key found by nt-hive.
pub(crate) type Node<'h> = KeyNode<'h, &'h [u8]>;

/// A value found by nt-hive.
pub(crate) type NodeValue<'h> = KeyValue<'h, &'h [u8]>;

impl<'a> Library<'a> {
    /// Opens without validation: what is wrong with the base block is reported, not refused.
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, OpenError> {
        let too_short = |_| OpenError::TooShort { expected: BASE_BLOCK as u64, actual: bytes.len() as u64 };
        nt_hive::Hive::without_validation(bytes).map(Self).map_err(too_short)
    }

    /// Returns the root key; called only if its cell is known to be undamaged.
    pub(crate) fn root<'h>(&'h self) -> Option<Node<'h>> {
        let hive: &'h nt_hive::Hive<&'h [u8]> = &self.0;
        guarded(|| hive.root_key_node().ok()).flatten()
    }
}

/// Items of an nt-hive iterator; `None` for an item that it refuses.
pub(crate) struct Items<I>(Option<I>);

impl<T, I: Iterator<Item = nt_hive::Result<T>>> Items<I> {
    pub(crate) fn next(&mut self) -> Option<T> {
        let iterator = self.0.as_mut()?;
        guarded(|| iterator.next()).flatten()?.ok()
    }
}

/// Returns the subkeys of a key whose list is known to be undamaged, in the order of that list.
pub(crate) fn subkeys<'h>(node: Option<&Node<'h>>) -> Items<SubKeyNodes<'h, &'h [u8]>> {
    Items(node.and_then(|node| guarded(|| node.subkeys())??.ok()))
}

/// Returns the values of a key whose list is known to be undamaged, in the order of that list.
pub(crate) fn values<'h>(node: Option<&Node<'h>>) -> Items<KeyValues<'h, &'h [u8]>> {
    Items(node.and_then(|node| guarded(|| node.values())??.ok()))
}

/// Returns the data of a value, if it is in one piece.
pub(crate) fn data<'h>(value: &NodeValue<'h>) -> Option<&'h [u8]> {
    match guarded(|| value.data().ok()).flatten()? {
        KeyValueData::Small(bytes) => Some(bytes),
        KeyValueData::Big(_) => None,
    }
}

/// Returns the bytes of a name.
pub(crate) fn stored<'n>(name: &NtHiveNameString<'n>) -> &'n [u8] {
    match name {
        NtHiveNameString::Latin1(bytes) | NtHiveNameString::Utf16LE(bytes) => bytes,
    }
}

/// Returns where a part of `bytes` begins in it.
pub(crate) fn offset_in(bytes: &[u8], part: &[u8]) -> Option<u64> {
    let offset = part.as_ptr().addr().checked_sub(bytes.as_ptr().addr())?;
    (offset <= bytes.len()).then_some(offset as u64)
}

fn guarded<T>(call: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(call)).ok()
}
