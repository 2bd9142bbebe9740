//! Measures prompt injection: orders to agents within evidence, a model that obeys all of them,
//! and a judge of the results (`docs/injection.md`).

pub mod judge;
mod obedient;
mod orders;
mod plant;

pub use obedient::{Followed, Obedient, Reads, Tally};
pub use orders::{Asserted, Order, OrdersError, Vehicle, orders};
pub use plant::{Planted, Planting, Side, plant};
