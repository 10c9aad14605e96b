//! A peer that can misbehave: it serves our own codec over the peer protocol and, on its Nth
//! request, does what its first argument says. It proves that the gate can fail.
//!
//! `interop-testkit FAULT [N] [BAIT]`: the Nth request of a process, counted from 1, triggers the
//! fault; with BAIT every request that holds this text does, in every process, and N is nothing.

use std::io::{Read, Write};
use std::process::exit;
use std::time::Duration;

use interop_check::peer::proto::{
    Capability, Decoded, Encoded, Failure, Implementation, Reply, Request, Welcome, failure, reply,
    request,
};
use interop_check::peer::tree::{from_tree, to_tree};
use interop_check::subject::Subject;
use interop_codec::{DecodeOptions, Dialect, Document, Format};
use prost::Message;

fn main() {
    let mut args = std::env::args().skip(1);
    let fault = args.next().unwrap_or_else(|| "none".to_owned());
    let nth: usize = args.next().and_then(|n| n.parse().ok()).unwrap_or(1);
    let bait = args.next();
    match fault.as_str() {
        "no-start" => exit(4),
        "late-start" => std::thread::sleep(Duration::from_millis(1200)),
        "slow-start" => std::thread::sleep(Duration::from_secs(3600)),
        "noise-at-start" => println!("Welcome to the peer!"),
        _ => {}
    }
    let mut stdin = std::io::stdin().lock();
    let mut served = 0;
    while let Some(frame) = read_frame(&mut stdin) {
        let Ok(request) = Request::decode(&frame[..]) else {
            exit(5);
        };
        let hello = matches!(request.body, Some(request::Body::Hello(_)));
        let mut reply = Reply {
            id: request.id,
            body: Some(answer(request.body)),
        };
        if hello {
            send(&reply);
            continue;
        }
        served += 1;
        let due = match &bait {
            Some(bait) => holds(&frame, bait.as_bytes()),
            None => served == nth,
        };
        if due {
            misbehave(&fault, &mut reply);
        }
        send(&reply);
    }
}

fn holds(frame: &[u8], text: &[u8]) -> bool {
    !text.is_empty() && frame.windows(text.len()).any(|window| window == text)
}

/// Does what `fault` says; where it returns, the reply is sent as it then stands.
fn misbehave(fault: &str, reply: &mut Reply) {
    match fault {
        "wrong-value" => {
            if let Some(reply::Body::Decode(decoded)) = &mut reply.body
                && let Some(value) = &mut decoded.value
            {
                value.fields.pop();
            }
            if let Some(reply::Body::Encode(encoded)) = &mut reply.body {
                encoded.data.push(0);
            }
        }
        "wrong-id" => reply.id += 1000,
        "wrong-kind" => reply.body = Some(reply::Body::Schema(Default::default())),
        "empty" => reply.body = None,
        "twice" => send(reply),
        "noise" => println!("debug: here I am"),
        "no-frame" => {
            let mut stdout = std::io::stdout().lock();
            let junk = [0xff; 9];
            let _ = stdout.write_all(&(junk.len() as u32).to_le_bytes());
            let _ = stdout.write_all(&junk);
        }
        "truncate" => {
            let body = reply.encode_to_vec();
            let mut stdout = std::io::stdout().lock();
            let _ = stdout.write_all(&(body.len() as u32 + 1).to_le_bytes());
            let _ = stdout.write_all(&body);
            let _ = stdout.flush();
            exit(0);
        }
        "crash" => {
            eprintln!("about to fall over");
            std::process::abort();
        }
        "exit" => exit(0),
        "hang" => std::thread::sleep(Duration::from_secs(3600)),
        "flood" => {
            let chunk = vec![0u8; 1 << 16];
            let mut stdout = std::io::stdout().lock();
            // A frame of the largest length that is allowed, again and again.
            while stdout.write_all(&(60u32 << 20).to_le_bytes()).is_ok() {
                for _ in 0..(60 << 20) / chunk.len() {
                    if stdout.write_all(&chunk).is_err() {
                        exit(0);
                    }
                }
            }
        }
        "eat-memory" => {
            let mut eaten: Vec<Vec<u8>> = Vec::new();
            loop {
                eaten.push(vec![1; 16 << 20]);
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        _ => {}
    }
}

fn answer(body: Option<request::Body>) -> reply::Body {
    match body {
        Some(request::Body::Hello(_)) => reply::Body::Hello(welcome()),
        Some(request::Body::Encode(ask)) => {
            encode(&ask).map_or_else(refuse, |data| reply::Body::Encode(Encoded { data }))
        }
        Some(request::Body::Decode(ask)) => decode(&ask).unwrap_or_else(refuse),
        _ => reply::Body::Failure(Failure {
            kind: failure::Kind::Unsupported.into(),
            message: "not offered".to_owned(),
        }),
    }
}

fn refuse(message: String) -> reply::Body {
    reply::Body::Failure(Failure {
        kind: failure::Kind::Refused.into(),
        message,
    })
}

fn encode(ask: &interop_check::peer::proto::Encode) -> Result<Vec<u8>, String> {
    let subject = Subject::built_in(&ask.model).map_err(|failure| failure.text)?;
    let format: Format = ask.format.parse()?;
    let tree = ask.value.clone().unwrap_or_default();
    let message = from_tree(&subject.schema, subject.id, &tree)?;
    let dialect = Dialect::default_of(format);
    interop_codec::encode(&subject.schema, &Document::of(message), format, &dialect)
        .map_err(|error| error.to_string())
}

fn decode(ask: &interop_check::peer::proto::Decode) -> Result<reply::Body, String> {
    let subject = Subject::built_in(&ask.model).map_err(|failure| failure.text)?;
    let format: Format = ask.format.parse()?;
    let options = DecodeOptions::default();
    let document = interop_codec::decode(&subject.schema, subject.id, format, &ask.data, options)
        .map_err(|error| error.to_string())?;
    let message = document.message().ok_or("the root is not a message")?;
    let value = Some(to_tree(&subject.schema, message)?);
    Ok(reply::Body::Decode(Decoded { value }))
}

fn welcome() -> Welcome {
    let capability = |format: Format| Capability {
        format: format.name().to_owned(),
        models: vec!["protobuf.NumericStruct".to_owned()],
        encode: true,
        decode: true,
        writer: "testkit".to_owned(),
        ..Capability::default()
    };
    Welcome {
        protocol_version: 1,
        language: "testkit".to_owned(),
        runtime: "none".to_owned(),
        implementations: vec![Implementation {
            name: "dynamic".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            capabilities: vec![capability(Format::Protobuf), capability(Format::Msgpack)],
            unavailable: String::new(),
        }],
    }
}

fn read_frame(stdin: &mut impl Read) -> Option<Vec<u8>> {
    let mut length = [0; 4];
    stdin.read_exact(&mut length).ok()?;
    let mut frame = vec![0; u32::from_le_bytes(length) as usize];
    stdin.read_exact(&mut frame).ok()?;
    Some(frame)
}

fn send(reply: &Reply) {
    let body = reply.encode_to_vec();
    let mut stdout = std::io::stdout().lock();
    let sent = stdout
        .write_all(&(body.len() as u32).to_le_bytes())
        .and_then(|()| stdout.write_all(&body))
        .and_then(|()| stdout.flush());
    if sent.is_err() {
        exit(0);
    }
}
