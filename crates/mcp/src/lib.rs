//! The door for outside agents: the Model Context Protocol.
