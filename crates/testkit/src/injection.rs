//! Injection, measured: orders to an agent that stand in evidence, a model that obeys every one of them, and a judge of what came of it (`docs/injection.md`).

pub mod judge;
mod obedient;
mod orders;
mod plant;

pub use obedient::{Followed, Obedient, Reads, Tally};
pub use orders::{Asserted, Order, OrdersError, Vehicle, orders};
pub use plant::{Planted, Planting, Side, plant};
