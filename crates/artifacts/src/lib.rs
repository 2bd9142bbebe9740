//! Forensic formats: files in, located records out.
