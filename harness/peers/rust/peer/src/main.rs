//! The Rust peer. Usage: peer [--versions]
//!
//! Serves the peer protocol (harness/PROTOCOL.md) on stdin and stdout.

mod answer;
mod dynamic;
mod frames;
mod measure;
/// Dynamic messages across the protocol: the runner's own code.
#[path = "../../../../src/peer/tree.rs"]
mod tree;

/// The protocol's messages, under the name that `tree` shares with the runner.
mod proto {
    pub use interop_contestants::protocol::*;
}

use std::process::ExitCode;

fn run() -> Result<(), String> {
    let mut peer = answer::Peer::new()?;
    if std::env::args().nth(1).as_deref() == Some("--versions") {
        for implementation in peer.welcome().implementations {
            let said = if implementation.unavailable.is_empty() {
                implementation.version
            } else {
                implementation.unavailable
            };
            println!("{} {said}", implementation.name);
        }
        return Ok(());
    }
    frames::serve(|frame| peer.reply_to(frame))
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
