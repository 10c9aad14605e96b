use std::io::Write;

use crate::cli::{PeersArgs, PeersCommand};
use crate::exit::{COMPATIBLE, Failure, HARNESS, Result};
use crate::golden::Store;
use crate::live::roster::{Roster, Support, succeeds};
use crate::live::{LiveArgs, declarations, folders};
use crate::peer::declare::{Declaration, Requirement};
use crate::peer::process::{first_line, run_command};
use crate::values::write_atomically;

pub(super) fn run(command: &PeersCommand, out: &mut dyn Write) -> Result<u8> {
    match command {
        PeersCommand::Build { peers, debug } => build(peers, *debug, out),
        PeersCommand::List(args) => list(args, out),
        PeersCommand::Doctor(args) => doctor(args, out),
        PeersCommand::Support { peers, write } => support(peers, *write, out),
    }
}

fn store_and_peers(args: &PeersArgs) -> Result<(Store, Vec<Declaration>)> {
    let store = Store::find(args.golden.golden.as_deref())?;
    let all = declarations(args.peers.as_ref(), &store)?;
    for language in &args.languages {
        if !all.iter().any(|peer| peer.language == *language) {
            let known: Vec<_> = all.iter().map(|peer| peer.language.as_str()).collect();
            return Err(Failure::usage(format!("no peer speaks {language}"))
                .hint(format!("known languages: {}", known.join(", "))));
        }
    }
    let wanted = all
        .into_iter()
        .filter(|peer| args.languages.is_empty() || args.languages.contains(&peer.language));
    Ok((store, wanted.collect()))
}

/// Builds peers one after another. A missing toolchain skips its peer; a failed build is exit 3.
fn build(args: &PeersArgs, debug: bool, out: &mut dyn Write) -> Result<u8> {
    let (store, peers) = store_and_peers(args)?;
    let mut folders = folders(&store);
    if debug {
        folders.build = folders.root.join("target/peers-debug");
    }
    let mut failed = Vec::new();
    for peer in &peers {
        let missing = peer.missing(succeeds);
        if !missing.is_empty() {
            let names: Vec<_> = missing.iter().map(|need| need.label()).collect();
            writeln!(
                out,
                "{:<11} skipped: {} missing",
                peer.language,
                names.join(", ")
            )?;
            continue;
        }
        writeln!(out, "{:<11} building ...", peer.language)?;
        out.flush()?;
        let directory = peer.build_directory(&folders);
        std::fs::create_dir_all(&directory)
            .map_err(|error| Failure::harness(format!("{}: {error}", directory.display())))?;
        let started = std::time::Instant::now();
        let mut program = peer.build_program(&folders);
        if debug {
            program
                .env
                .insert("PEER_SYMBOLS".to_owned(), "1".to_owned());
        }
        match run_command(&program, false) {
            Ok(()) => writeln!(
                out,
                "{:<11} built in {:.1} s",
                peer.language,
                started.elapsed().as_secs_f64()
            )?,
            Err(error) => {
                writeln!(out, "{:<11} failed: {error}", peer.language)?;
                failed.push(peer.language.as_str());
            }
        }
    }
    if failed.is_empty() {
        Ok(COMPATIBLE)
    } else {
        Err(Failure::harness(format!(
            "not built: {}",
            failed.join(", ")
        )))
    }
}

/// What each built peer offers.
fn list(args: &PeersArgs, out: &mut dyn Write) -> Result<u8> {
    let (store, peers) = store_and_peers(args)?;
    let roster = Roster::assemble(&LiveArgs::default(), &peers, &folders(&store))?;
    for live in &roster.implementations {
        writeln!(
            out,
            "{:<28} {:<34} {:<16} {} models{}",
            live.name,
            live.version,
            live.format.name(),
            live.capability.models.len(),
            if live.capability.writer.is_empty() {
                String::new()
            } else {
                format!(", writes as {}", live.capability.writer)
            }
        )?;
    }
    for (name, reason) in &roster.unavailable {
        writeln!(out, "not available: {name}: {reason}")?;
    }
    for left in &roster.skipped {
        writeln!(
            out,
            "skipped: {}: {}; interop-check peers doctor says how to install it",
            left.what, left.reason
        )?;
    }
    for (peer, fault) in &roster.faults {
        writeln!(out, "failed: {peer}: {fault}")?;
    }
    Ok(if roster.faults.is_empty() {
        COMPATIBLE
    } else {
        HARNESS
    })
}

/// What each peer needs, what is there, and how to install the rest.
fn doctor(args: &PeersArgs, out: &mut dyn Write) -> Result<u8> {
    let (store, peers) = store_and_peers(args)?;
    let folders = folders(&store);
    let mut packages: Vec<&str> = Vec::new();
    let mut by_hand: Vec<String> = Vec::new();
    let mut unbuilt: Vec<&str> = Vec::new();
    let mut lacking = false;
    for peer in &peers {
        let missing: Vec<*const Requirement> = peer
            .missing(succeeds)
            .into_iter()
            .map(std::ptr::from_ref)
            .collect();
        writeln!(out, "{}", peer.language)?;
        let mut complete = true;
        for need in &peer.requires {
            let there = !missing.contains(&std::ptr::from_ref(need));
            let shown = if there {
                first_line(&need.version)
            } else {
                None
            };
            let too_old = shown.as_ref().is_some_and(|shown| need.is_too_old(shown));
            let minimum = need.minimum.as_ref();
            let minimum = minimum.map_or(String::new(), |least| format!(" (at least {least})"));
            let state = match shown {
                Some(shown) if too_old => format!("TOO OLD: {shown}"),
                Some(shown) => shown,
                None if there => "there".to_owned(),
                None => "MISSING".to_owned(),
            };
            writeln!(out, "  {:<24} {state}{minimum}", need.label())?;
            if there && !too_old {
                continue;
            }
            complete = false;
            // A package that is there and too old does not get newer by being installed.
            if need.debian.is_empty() || too_old {
                by_hand.push(format!("{}{minimum}", need.label()));
            } else {
                packages.extend(need.debian.iter().map(String::as_str));
            }
        }
        let built = peer.build_directory(&folders).is_dir();
        let state = if built { "there" } else { "not built yet" };
        writeln!(out, "  {:<24} {state}", "build")?;
        if complete && !built {
            unbuilt.push(&peer.language);
        }
        lacking |= !complete;
    }
    packages.sort_unstable();
    packages.dedup();
    by_hand.sort_unstable();
    by_hand.dedup();
    writeln!(out)?;
    if !packages.is_empty() {
        writeln!(out, "install: apt-get install -y {}", packages.join(" "))?;
    }
    if !by_hand.is_empty() {
        writeln!(out, "install by hand: {}", by_hand.join(", "))?;
    }
    if !unbuilt.is_empty() {
        writeln!(
            out,
            "build: interop-check peers build {}",
            unbuilt.join(" ")
        )?;
    }
    if lacking {
        return Ok(HARNESS);
    }
    writeln!(out, "nothing is missing")?;
    Ok(COMPATIBLE)
}

/// Holds the running peers against the support table, or writes it anew.
fn support(args: &PeersArgs, write: bool, out: &mut dyn Write) -> Result<u8> {
    let (store, peers) = store_and_peers(args)?;
    let roster = Roster::assemble(&LiveArgs::default(), &peers, &folders(&store))?;
    if let Some((peer, fault)) = roster.faults.first() {
        return Err(Failure::harness(format!("the {peer} peer {fault}")));
    }
    let path = store.path("support.toml");
    let table = Support::load(&path)?;
    let deviations = table.deviations(&roster);
    for (what, text) in &deviations {
        writeln!(out, "{what}: {text}")?;
    }
    if write {
        write_atomically(&path, table.updated(&roster).print().as_bytes())?;
        writeln!(out, "written: {}", path.display())?;
        return Ok(COMPATIBLE);
    }
    writeln!(out, "{} deviations", deviations.len())?;
    Ok(u8::from(!deviations.is_empty()))
}
