//! `golden add`
use std::io::Write;

use crate::cli::AddArgs;
use crate::exit::{Failure, Result};

/// x
pub fn run(_args: &AddArgs, _out: &mut dyn Write) -> Result<u8> {
    Err(Failure::harness("x"))
}
