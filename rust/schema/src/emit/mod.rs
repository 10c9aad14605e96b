//! Schemas in other languages than the one they were written in, derived from the model.

pub mod fdl;
