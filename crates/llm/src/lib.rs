//! Models: what decides an agent's next step.
