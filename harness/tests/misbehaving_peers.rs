//! Peers that lie, hang, crash, flood or grow are caught, named rightly, and cost nobody else
//! their answers, in bounded time.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use interop_check::peer::process::{Fault, Program};
use interop_check::peer::proto::{Decode, reply, request};
use interop_check::peer::supervise::{Bounds, Conversation, Outcome, converse, introduce};

const TESTKIT: &str = env!("CARGO_BIN_EXE_interop-testkit");

fn bounds() -> Bounds {
    Bounds {
        start: Duration::from_secs(5),
        request: Duration::from_millis(500),
        shutdown: Duration::from_millis(500),
        resident_bytes: 400 << 20,
        window: 4,
        restarts: 16,
    }
}

fn program(args: &[&str]) -> Program {
    let argv = std::iter::once(TESTKIT).chain(args.iter().copied());
    Program {
        name: "testkit".to_owned(),
        argv: argv.map(str::to_owned).collect(),
        env: BTreeMap::new(),
        directory: None,
    }
}

/// A NumericStruct with one field, whose value is the position of the request.
fn requests(count: u8) -> Vec<request::Body> {
    (0..count).map(|value| ask(vec![0x08, value + 1])).collect()
}

fn ask(data: Vec<u8>) -> request::Body {
    request::Body::Decode(Decode {
        implementation: "dynamic".to_owned(),
        format: "protobuf".to_owned(),
        model: "protobuf.NumericStruct".to_owned(),
        data,
    })
}

fn talk(args: &[&str], requests: Vec<request::Body>) -> Conversation {
    let started = Instant::now();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let conversation = runtime.block_on(converse(&program(args), &bounds(), requests));
    let taken = started.elapsed();
    assert!(taken < Duration::from_secs(30), "{args:?} took {taken:?}");
    conversation
}

fn answered(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Answer(reply::Body::Decode(_)))
}

/// Eight requests, the bait as the fourth; the bait alone is blamed.
fn only_the_bait_is_blamed(fault: &str) -> Fault {
    let mut all = requests(8);
    // An unknown field that holds the bait.
    all[3] = ask([&[0xa2, 0x06, 4][..], b"bait"].concat());
    let conversation = talk(&[fault, "0", "bait"], all);
    let mut blamed = None;
    for (index, outcome) in conversation.outcomes.iter().enumerate() {
        match outcome {
            Outcome::Blamed(fault) if index == 3 => blamed = Some(fault.clone()),
            other => assert!(answered(other), "{fault}: request {index}: {other:?}"),
        }
    }
    blamed.unwrap_or_else(|| panic!("{fault}: nobody is blamed: {conversation:?}"))
}

#[test]
fn a_good_peer_answers_everything() {
    let conversation = talk(&["none"], requests(40));
    assert!(conversation.outcomes.iter().all(answered));
    assert_eq!(conversation.outcomes.len(), 40);
    assert!(conversation.faults.is_empty() && conversation.unrepeated.is_empty());
}

#[test]
fn a_crash_is_blamed_on_its_request_with_the_log() {
    let Fault::Crashed { status, log } = only_the_bait_is_blamed("crash") else {
        panic!("not a crash");
    };
    assert!(status.contains("signal"), "{status}");
    assert!(log.contains("about to fall over"), "{log}");
}

#[test]
fn a_quiet_exit_is_a_crash() {
    let fault = only_the_bait_is_blamed("exit");
    assert!(matches!(fault, Fault::Crashed { .. }), "{fault}");
}

#[test]
fn a_hang_is_a_timeout() {
    let fault = only_the_bait_is_blamed("hang");
    assert!(matches!(fault, Fault::Timeout { .. }), "{fault}");
}

#[test]
fn a_flood_is_stopped() {
    let fault = only_the_bait_is_blamed("flood");
    assert!(
        matches!(fault, Fault::Protocol { .. } | Fault::Timeout { .. }),
        "{fault}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_growing_peer_is_stopped() {
    let mut all = requests(2);
    all[1] = ask([&[0xa2, 0x06, 4][..], b"bait"].concat());
    let generous = Bounds {
        request: Duration::from_secs(20),
        ..bounds()
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let program = program(&["eat-memory", "0", "bait"]);
    let conversation = runtime.block_on(converse(&program, &generous, all));
    assert!(answered(&conversation.outcomes[0]));
    assert!(
        matches!(
            conversation.outcomes[1],
            Outcome::Blamed(Fault::Memory { .. })
        ),
        "{conversation:?}"
    );
}

#[test]
fn lies_are_protocol_errors_of_the_peer() {
    for fault in [
        "wrong-id",
        "wrong-kind",
        "empty",
        "noise",
        "no-frame",
        "truncate",
    ] {
        let blamed = only_the_bait_is_blamed(fault);
        let crashed = fault == "truncate" && matches!(blamed, Fault::Crashed { .. });
        assert!(
            crashed || matches!(blamed, Fault::Protocol { .. }),
            "{fault}: {blamed}"
        );
    }
    let Fault::Protocol { bytes, .. } = only_the_bait_is_blamed("noise") else {
        panic!("not a protocol error");
    };
    assert!(
        bytes.starts_with(b"debug: here"),
        "{}",
        bytes.escape_ascii()
    );
}

#[test]
fn an_answer_given_twice_is_noticed_also_after_the_last_request() {
    for nth in ["1", "3"] {
        let conversation = talk(&["twice", nth], requests(3));
        let text = format!("{:?}", conversation.faults);
        assert!(
            text.contains("which is not open"),
            "{nth}: {conversation:?}"
        );
        assert!(conversation.outcomes.iter().all(answered));
    }
}

#[test]
fn a_failure_that_does_not_repeat_is_told_and_blamed_on_nobody() {
    // The third request of every process crashes it; alone, each request is a first one.
    let conversation = talk(&["crash", "3"], requests(4));
    assert!(
        conversation.outcomes.iter().all(answered),
        "{conversation:?}"
    );
    assert!(!conversation.unrepeated.is_empty());
}

#[test]
fn restarts_are_bounded() {
    let all = (0..40)
        .map(|_| ask([&[0xa2, 0x06, 4][..], b"bait"].concat()))
        .collect();
    let conversation = talk(&["exit", "0", "bait"], all);
    assert!(conversation.outcomes.contains(&Outcome::Abandoned));
    let text = format!("{:?}", conversation.faults);
    assert!(text.contains("fresh processes"), "{text}");
}

#[test]
fn peers_that_do_not_come_up_are_named() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let short = Bounds {
        start: Duration::from_millis(500),
        ..bounds()
    };
    let up = |args: &[&str]| {
        runtime
            .block_on(introduce(&program(args), &short))
            .map(|_| ())
    };
    assert!(up(&["none"]).is_ok());
    assert!(matches!(up(&["no-start"]), Err(Fault::Crashed { .. })));
    assert!(matches!(up(&["slow-start"]), Err(Fault::Timeout { .. })));
    assert!(matches!(
        up(&["noise-at-start"]),
        Err(Fault::Protocol { .. })
    ));
    let missing = Program {
        argv: vec!["no-such-program-here".to_owned()],
        ..program(&[])
    };
    let fault = runtime.block_on(introduce(&missing, &short)).unwrap_err();
    assert!(matches!(fault, Fault::Start(_)), "{fault}");
}
