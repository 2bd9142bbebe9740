//! Folds the events of a run into the evidence graph.
