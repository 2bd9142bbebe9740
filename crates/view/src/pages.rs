//! The pages, one file each.

pub(crate) mod compare;
pub(crate) mod entity;
pub(crate) mod fact;
pub(crate) mod follow;
pub(crate) mod graph;
pub(crate) mod invocation;
pub(crate) mod lists;
pub(crate) mod path;
pub(crate) mod picture;
mod record;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod search;
mod sight;
