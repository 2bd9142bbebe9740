//! Development only: builders and scripted parts.
