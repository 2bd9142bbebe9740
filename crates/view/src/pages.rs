//! The pages, a file each.

pub(crate) mod compare;
pub(crate) mod fact;
pub(crate) mod follow;
pub(crate) mod invocation;
pub(crate) mod lists;
mod record;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod search;
