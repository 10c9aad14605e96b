//! Frames: a four-byte little-endian length, then that many bytes.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Write};
use std::os::fd::AsFd;

const FRAME_LIMIT_BYTES: u32 = 256 << 20;

/// Answers frames from stdin on stdout until stdin closes.
///
/// # Errors
/// When a frame is cut or too long, or no request.
pub fn serve(mut answer: impl FnMut(&[u8]) -> Result<Vec<u8>, String>) -> Result<(), String> {
    let say = |error: std::io::Error| error.to_string();
    // Only frames may go to stdout: whatever a library prints goes to stderr.
    let stdout = std::io::stdout().as_fd().try_clone_to_owned().map_err(say)?;
    rustix::stdio::dup2_stdout(std::io::stderr()).map_err(|error| error.to_string())?;
    let mut output = File::from(stdout);
    let mut input = BufReader::new(std::io::stdin().lock());
    let mut frame = Vec::new();
    loop {
        let mut head = [0; 4];
        let first = input.read(&mut head).map_err(say)?;
        if first == 0 {
            return Ok(());
        }
        input.read_exact(&mut head[first..]).map_err(cut)?;
        let len = u32::from_le_bytes(head);
        if len > FRAME_LIMIT_BYTES {
            return Err(format!("a frame of {len} bytes is longer than {FRAME_LIMIT_BYTES}"));
        }
        frame.clear();
        let read = (&mut input).take(len.into()).read_to_end(&mut frame);
        if read.map_err(say)? < len as usize {
            return Err(cut(ErrorKind::UnexpectedEof.into()));
        }
        let reply = answer(&frame)?;
        let len = u32::try_from(reply.len()).map_err(|error| error.to_string())?;
        let mut bytes = Vec::with_capacity(4 + reply.len());
        bytes.extend_from_slice(&len.to_le_bytes());
        bytes.extend_from_slice(&reply);
        output.write_all(&bytes).map_err(say)?;
    }
}

fn cut(error: std::io::Error) -> String {
    format!("stdin closed inside a frame: {error}")
}
