//! The rules of the mapping, one test each.
