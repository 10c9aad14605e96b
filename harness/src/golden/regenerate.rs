//! `golden regenerate`
use std::io::Write;

use crate::cli::RegenerateArgs;
use crate::exit::{Failure, Result};

/// x
pub fn run(_args: &RegenerateArgs, _out: &mut dyn Write) -> Result<u8> {
    Err(Failure::harness("x"))
}
