//! One running peer: its process group, its frames, its log, its memory.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt;
use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop, ProcessGroup};
use prost::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio_util::codec::{FramedRead, LengthDelimitedCodec};

use super::proto::{Reply, Request};

/// How to start a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Name in reports: "java".
    pub name: String,
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Variables set on top of the inherited environment.
    pub env: BTreeMap<String, String>,
    /// Working directory; the caller's when absent.
    pub directory: Option<PathBuf>,
}

/// Largest frame that a peer may send, in bytes. Text sent by mistake never passes for a
/// length below it: four printable bytes read as a length of 512 MiB or more.
pub const MAX_FRAME_BYTES: usize = 64 << 20;

/// How much of a peer's log is kept, in bytes from its end.
pub const LOG_TAIL_BYTES: usize = 16 << 10;

/// What ended or spoilt a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The program could not be started.
    Start(String),
    /// The process ended while answers were due.
    Crashed {
        /// How it ended: exit status or signal.
        status: String,
        /// The end of its log.
        log: String,
    },
    /// No answer within the deadline.
    Timeout {
        /// The deadline.
        after: Duration,
    },
    /// The process group grew past the memory limit.
    Memory {
        /// Resident bytes seen.
        resident_bytes: u64,
        /// The limit.
        limit_bytes: u64,
    },
    /// The peer said something that the protocol does not allow.
    Protocol {
        /// What was wrong.
        text: String,
        /// The first bytes of what it sent.
        bytes: Vec<u8>,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(text) => write!(f, "could not be started: {text}"),
            Self::Crashed { status, log } => {
                write!(f, "ended with {status}")?;
                match log.trim_end() {
                    "" => Ok(()),
                    log => write!(f, "; its log ends: {log}"),
                }
            }
            Self::Timeout { after } => write!(f, "no answer within {} ms", after.as_millis()),
            Self::Memory {
                resident_bytes,
                limit_bytes,
            } => write!(
                f,
                "took {} MiB of memory, {} MiB are allowed",
                resident_bytes >> 20,
                limit_bytes >> 20
            ),
            Self::Protocol { text, bytes } => {
                write!(f, "broke the protocol: {text}")?;
                if !bytes.is_empty() {
                    write!(f, "; it sent \"{}\"", bytes.escape_ascii())?;
                }
                Ok(())
            }
        }
    }
}

/// A running peer.
pub(super) struct Process {
    child: Box<dyn ChildWrapper>,
    frames: FramedRead<ChildStdout, LengthDelimitedCodec>,
    requests: Option<mpsc::UnboundedSender<Vec<u8>>>,
    log: Arc<Mutex<Vec<u8>>>,
    group: Option<u32>,
}

impl Process {
    pub fn start(program: &Program) -> Result<Self, Fault> {
        let start = |error: &dyn fmt::Display| Fault::Start(error.to_string());
        let (name, args) = program
            .argv
            .split_first()
            .ok_or_else(|| Fault::Start("its command is empty".to_owned()))?;
        let mut command = CommandWrap::with_new(name, |command| {
            command
                .args(args)
                .envs(&program.env)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            if let Some(directory) = &program.directory {
                command.current_dir(directory);
            }
        });
        command.wrap(KillOnDrop);
        #[cfg(unix)]
        command.wrap(ProcessGroup::leader());
        let mut child = command
            .spawn()
            .map_err(|error| start(&format!("{name}: {error}")))?;
        let piped = (
            child.stdin().take(),
            child.stdout().take(),
            child.stderr().take(),
        );
        let (Some(stdin), Some(stdout), Some(stderr)) = piped else {
            return Err(Fault::Start("its pipes are missing".to_owned()));
        };
        let log = Arc::new(Mutex::new(Vec::new()));
        tokio::spawn(keep_log(stderr, Arc::clone(&log)));
        let (requests, queue) = mpsc::unbounded_channel();
        tokio::spawn(write_frames(stdin, queue));
        let codec = LengthDelimitedCodec::builder()
            .little_endian()
            .length_field_type::<u32>()
            .max_frame_length(MAX_FRAME_BYTES)
            .new_codec();
        Ok(Self {
            group: child.id(),
            child,
            frames: FramedRead::new(stdout, codec),
            requests: Some(requests),
            log,
        })
    }

    /// Queues a request; a peer that no longer reads shows in [`Process::receive`].
    pub fn send(&self, request: &Request) {
        if let Some(requests) = &self.requests {
            // The receiver is gone only when the peer is; its end of file tells more.
            let _ = requests.send(request.encode_to_vec());
        }
    }

    /// The next reply; `None` when the peer closed its output between two frames.
    pub async fn receive(&mut self) -> Result<Option<Reply>, Fault> {
        match self.frames.next().await {
            None => Ok(None),
            Some(Ok(frame)) => {
                Reply::decode(&frame[..])
                    .map(Some)
                    .map_err(|error| Fault::Protocol {
                        text: format!("a frame of {} bytes is no Reply ({error})", frame.len()),
                        bytes: frame[..frame.len().min(64)].to_vec(),
                    })
            }
            Some(Err(error)) => {
                let left = self.frames.read_buffer();
                Err(Fault::Protocol {
                    text: format!("its output is not a sequence of frames ({error})"),
                    bytes: left[..left.len().min(64)].to_vec(),
                })
            }
        }
    }

    /// Resident memory of the whole process group, in bytes; `None` where the system does not
    /// tell.
    pub fn resident_bytes(&self) -> Option<u64> {
        resident_bytes_of_group(self.group?)
    }

    /// The process that leads the group.
    pub fn id(&self) -> Option<u32> {
        self.group
    }

    /// Tells the peer that no more requests come.
    pub fn close_requests(&mut self) {
        self.requests = None;
    }

    /// Waits for the process to end on its own, then says how it ended.
    pub async fn crash(mut self, grace: Duration) -> Fault {
        let ended = tokio::time::timeout(grace, self.child.wait()).await;
        let status = match ended {
            Ok(Ok(status)) => status.to_string(),
            Ok(Err(error)) => format!("an unknown status ({error})"),
            Err(_) => "its output closed".to_owned(),
        };
        let log = self.kill().await;
        Fault::Crashed { status, log }
    }

    /// Kills the process group; returns the end of the log.
    pub async fn kill(mut self) -> String {
        // Fails only when the group has ended already.
        let _ = self.child.start_kill();
        let _ = tokio::time::timeout(Duration::from_secs(5), self.child.wait()).await;
        let log = self.log.lock().map(|log| log.clone()).unwrap_or_default();
        String::from_utf8_lossy(&log).into_owned()
    }
}

/// Runs a command to its end with its output passed on to our stderr, or swallowed.
///
/// # Errors
/// A sentence when it can't be started or fails.
pub fn run_command(program: &Program, quiet: bool) -> Result<(), String> {
    let (name, args) = program.argv.split_first().ok_or("empty command")?;
    let mut command = std::process::Command::new(name);
    command.args(args).envs(&program.env).stdin(Stdio::null());
    if let Some(directory) = &program.directory {
        command.current_dir(directory);
    }
    if quiet {
        command.stdout(Stdio::null()).stderr(Stdio::null());
    } else {
        command.stdout(std::io::stderr());
    }
    let status = command
        .status()
        .map_err(|error| format!("{name}: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{} ended with {status}", program.argv.join(" ")))
    }
}

/// Runs a command to its end; gives its standard output and the end of what it said on stderr.
///
/// # Errors
/// A sentence when it can't be started or fails.
pub fn output_of(argv: &[String]) -> Result<(Vec<u8>, String), String> {
    let (name, args) = argv.split_first().ok_or("empty command")?;
    let output = std::process::Command::new(name)
        .args(args)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{name}: {error}"))?;
    let log = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if output.status.success() {
        Ok((output.stdout, log))
    } else {
        Err(format!("{name} ended with {}: {log}", output.status))
    }
}

/// The first line that a command prints, without the codes that colour it.
pub fn first_line(argv: &[String]) -> Option<String> {
    let (name, args) = argv.split_first()?;
    let output = std::process::Command::new(name).args(args).output().ok()?;
    let text = if output.stdout.is_empty() {
        output.stderr
    } else {
        output.stdout
    };
    let text = String::from_utf8_lossy(&text);
    text.lines().next().map(without_colours)
}

fn without_colours(line: &str) -> String {
    let mut parts = line.split("\x1b[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // A code ends with a letter.
        let end = part.find(|c: char| c.is_ascii_alphabetic());
        plain.push_str(end.map_or("", |end| &part[end + 1..]));
    }
    plain
}

async fn write_frames(mut stdin: ChildStdin, mut queue: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(body) = queue.recv().await {
        let length = (body.len() as u32).to_le_bytes();
        let written = async {
            stdin.write_all(&length).await?;
            stdin.write_all(&body).await?;
            stdin.flush().await
        };
        if written.await.is_err() {
            return;
        }
    }
}

/// Reads the log to its end, however long, and keeps the tail.
async fn keep_log(mut stderr: ChildStderr, log: Arc<Mutex<Vec<u8>>>) {
    let mut chunk = vec![0; 8 << 10];
    while let Ok(read @ 1..) = stderr.read(&mut chunk).await {
        let Ok(mut log) = log.lock() else { return };
        log.extend_from_slice(&chunk[..read]);
        let excess = log.len().saturating_sub(LOG_TAIL_BYTES);
        log.drain(..excess);
    }
}

/// Sums the resident set sizes of all processes whose group is `group`, from /proc.
#[cfg(target_os = "linux")]
fn resident_bytes_of_group(group: u32) -> Option<u64> {
    const PAGE_BYTES: u64 = 4096;
    let mut total = None;
    for entry in std::fs::read_dir("/proc").ok()?.flatten() {
        let is_process = entry
            .file_name()
            .to_str()
            .is_some_and(|name| name.bytes().all(|b| b.is_ascii_digit()));
        if !is_process {
            continue;
        }
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else {
            continue;
        };
        // The command in parentheses may hold spaces; the fields count from behind it:
        // state, parent, group, ..., resident pages as the 22nd.
        let Some((_, fields)) = stat.rsplit_once(") ") else {
            continue;
        };
        let fields: Vec<_> = fields.split(' ').collect();
        let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
        if number(2) == Some(u64::from(group)) {
            *total.get_or_insert(0) += number(21)? * PAGE_BYTES;
        }
    }
    total
}

#[cfg(not(target_os = "linux"))]
fn resident_bytes_of_group(_: u32) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_left_out() {
        assert_eq!(
            without_colours("\x1b[1mApache Maven 3.8.7\x1b[m (Debian)"),
            "Apache Maven 3.8.7 (Debian)"
        );
        assert_eq!(without_colours("plain [1m"), "plain [1m");
    }
}
