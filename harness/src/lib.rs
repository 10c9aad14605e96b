//! `interop-check` tells whether serialization libraries of the same format agree across
//! languages, and why not.
//!
//! The library behind the binary. [`cli`] says what can be asked, [`commands`] does it, and
//! everything else serves them: the golden corpus ([`golden`]), the check itself ([`check`]) with
//! its [`verdict`]s and [`known`] failures, and the explanation of bytes ([`explain`]).

pub mod bench;
pub mod check;
pub mod cli;
pub mod commands;
pub mod exit;
pub mod explain;
pub mod golden;
pub mod known;
pub mod live;
pub mod peer;
pub mod subject;
pub mod value_diff;
pub mod values;
pub mod vectors;
pub mod verdict;
