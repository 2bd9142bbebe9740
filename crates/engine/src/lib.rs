//! The investigation machine, sans-IO.
//!
//! [`Task::step`] takes what happened outside (a model's reply, a tool's return,
//! a verdict) and returns the events to append and the one thing to do next.
//! It reads no clock, runs no tool and asks no model; its caller appends first and acts second.
//! The same inputs always give the same events: replay depends on that.
//!
//! **Invariant:** ids of invocations, claims, facts and phenomena are assigned here and nowhere else.

mod absence;
mod arguments;
mod artifacts;
mod calls;
mod claims;
mod connected;
mod conversation;
mod criteria;
mod derivation;
mod dispatch;
mod distil;
mod graph_read;
mod graph_write;
mod guide;
mod help;
mod insist;
mod invoke;
mod left_open;
mod looked;
mod made;
mod narrative;
mod notebook;
mod notes;
mod objectives;
mod ordinals;
mod own;
mod prompt;
mod recall;
mod record;
mod recovery;
mod references;
mod reply;
mod report;
mod setting;
mod shelf;
mod small;
mod step;
mod task;
mod tell;
mod tools;
mod towards;
mod view;
mod window;

pub use criteria::{CriterionFault, fault};
pub use invoke::recorded_defects;
pub use ordinals::GivenIds;
pub use recovery::{After, Edition, Strategy, Template, strategies};
pub use report::handed;
pub use setting::Setting;
pub use shelf::{cite, hold};
pub use step::{
    Append, Assignment, Command, Found, Input, Invoke, Judgement, Place, Sought, Step, StepError, ToolReturn,
};
pub use task::{Left, Task};
pub use tools::{catalogue, dispatch_tools, retired};
pub use towards::SoFar;
