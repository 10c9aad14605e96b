//! What the measurements have in common: the values, and what they run on.

pub mod cases;
pub mod host;
pub mod models;
