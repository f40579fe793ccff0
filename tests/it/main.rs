//! Integration tests.

mod surface;
