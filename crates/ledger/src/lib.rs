//! The words of the record: ids, digests, times, locators, claims, events and the hash chain.
