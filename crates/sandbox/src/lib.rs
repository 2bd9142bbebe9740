//! The only spawner of processes: confined tool workers.
