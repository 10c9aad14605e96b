//! `known list` and `known update`.

use std::io::{BufRead, IsTerminal, Write};

use serde_json::json;

use crate::cli::{CheckArgs, KnownCommand, KnownListArgs, KnownUpdateArgs, Output};
use crate::exit::{COMPATIBLE, DIFFERENT, Failure, Result};
use crate::golden::Store;
use crate::known::update::{self, Answers, Changes, Group};
use crate::known::{KnownFailures, days_between, is_date, today};

pub(super) fn run(command: &KnownCommand, out: &mut dyn Write) -> Result<u8> {
    match command {
        KnownCommand::List(args) => list(args, out),
        KnownCommand::Update(args) => update(args, out),
    }
}

/// Every entry; exit 1 when one is expired.
fn list(args: &KnownListArgs, out: &mut dyn Write) -> Result<u8> {
    let store = Store::find(args.golden.golden.as_deref())?;
    let path = args.known_failures.clone();
    let known = KnownFailures::load(&path.unwrap_or_else(|| store.path("known-failures.toml")))?;
    let today = today();
    let mut expired = 0;
    let mut objects = Vec::new();
    for entry in &known.known {
        let age_days = days_between(&entry.since, &today);
        let days_left = days_between(&today, &entry.expires);
        expired += usize::from(entry.is_expired(&today));
        if args.output == Output::Json {
            objects.push(json!({
                "pattern": entry.pattern,
                "verdict": entry.verdict.name(),
                "message": entry.message,
                "reason": entry.reason,
                "link": entry.link,
                "input": entry.input,
                "owner": entry.owner,
                "since": entry.since,
                "age_days": age_days,
                "expires": entry.expires,
                "days_left": days_left,
            }));
            continue;
        }
        let holds = match days_left {
            ..0 => format!("EXPIRED on {}", entry.expires),
            left => format!("holds {left} days, until {}", entry.expires),
        };
        writeln!(out, "{}", entry.pattern)?;
        writeln!(out, "  {}: {}", entry.verdict, entry.message)?;
        writeln!(out, "  {}", entry.reason)?;
        writeln!(out, "  smallest input: {}", entry.input)?;
        writeln!(out, "  {}", entry.link)?;
        writeln!(out, "  {}, {age_days} days old, {holds}\n", entry.owner)?;
    }
    match args.output {
        Output::Json => super::print_json(out, &json!({"known": objects, "expired": expired}))?,
        Output::Human => writeln!(out, "{} entries, {expired} expired", known.known.len())?,
    }
    Ok(if expired == 0 { COMPATIBLE } else { DIFFERENT })
}

/// Exit 0 when the check would now pass as far as it ran, 1 when something needs a hand.
fn update(args: &KnownUpdateArgs, out: &mut dyn Write) -> Result<u8> {
    if let Some(date) = args.expires.as_ref().filter(|date| !is_date(date)) {
        return Err(Failure::usage(format!(
            "--expires: a date as YYYY-MM-DD, not {date:?}"
        )));
    }
    let store = Store::find(args.golden.golden.as_deref())?;
    let check = CheckArgs {
        golden: args.golden.clone(),
        filters: args.filters.clone(),
        live: args.live.clone(),
        known_failures: args.known_failures.clone(),
        jobs: args.jobs,
        ..CheckArgs::default()
    };
    let mut ask = |groups: &[Group]| answers(args, groups, out);
    let changes = update::update(&check, &store, args.expires.as_deref(), &mut ask)?;
    print(&changes, out)?;
    let Changes {
        removed,
        narrowed,
        added,
        left,
        ..
    } = &changes;
    if removed.is_empty() && narrowed.is_empty() && added.is_empty() {
        writeln!(out, "nothing to write")?;
    } else {
        update::save(&check, &store, &changes)?;
        writeln!(out, "written: {}", update::path(&check, &store).display())?;
    }
    Ok(if left.is_empty() {
        COMPATIBLE
    } else {
        DIFFERENT
    })
}

fn print(changes: &Changes, out: &mut dyn Write) -> Result<()> {
    for (pattern, why) in &changes.removed {
        writeln!(out, "removed: {pattern}: {why}")?;
    }
    for pattern in &changes.narrowed {
        writeln!(out, "narrowed to what still fails: {pattern}")?;
    }
    for pattern in &changes.added {
        writeln!(out, "added: {pattern}")?;
    }
    for (pattern, why) in &changes.left {
        writeln!(out, "left alone: {pattern}: {why}")?;
    }
    Ok(())
}

/// What is to be said of new failures: from the arguments, else asked for where somebody is
/// there to answer.
fn answers(args: &KnownUpdateArgs, groups: &[Group], out: &mut dyn Write) -> Result<Vec<Answers>> {
    let given = [
        ("reason", "why does it fail?", &args.reason),
        ("link", "where is that reported or documented?", &args.link),
        (
            "input",
            "what is the smallest input that shows it?",
            &args.input,
        ),
        ("owner", "who keeps the entry?", &args.owner),
    ];
    let missing: Vec<&str> = given
        .iter()
        .filter(|(_, _, text)| text.is_none())
        .map(|(name, ..)| *name)
        .collect();
    let somebody = std::io::stdin().is_terminal();
    if !missing.is_empty() && !somebody {
        for group in groups {
            show(group, out)?;
        }
        let flags: Vec<_> = missing.iter().map(|name| format!("--{name}")).collect();
        return Err(Failure::usage(format!(
            "{} new failures need {}; nothing was written",
            groups.len(),
            flags.join(", ")
        ))
        .hint("what they say holds for all that are listed; choose some with -k"));
    }
    let mut all = Vec::new();
    for group in groups {
        if !missing.is_empty() {
            show(group, out)?;
        }
        let mut texts = Vec::new();
        for (_, question, text) in &given {
            texts.push(match text {
                Some(text) => text.clone(),
                None => prompt(question, out)?,
            });
        }
        let mut texts = texts.into_iter();
        let mut next = || texts.next().unwrap_or_default();
        let answers = Answers {
            reason: next(),
            link: next(),
            input: next(),
            owner: next(),
        };
        if let Some(fault) = answers.fault() {
            return Err(Failure::usage(format!("{fault}; nothing was written")));
        }
        all.push(answers);
    }
    Ok(all)
}

fn show(group: &Group, out: &mut dyn Write) -> Result<()> {
    const SHOWN: usize = 6;
    for cell in group.cells.iter().take(SHOWN) {
        writeln!(out, "{cell}")?;
    }
    if group.cells.len() > SHOWN {
        writeln!(out, "... and {} more", group.cells.len() - SHOWN)?;
    }
    writeln!(out, "  {}: {}\n", group.verdict, group.message)?;
    Ok(())
}

fn prompt(question: &str, out: &mut dyn Write) -> Result<String> {
    write!(out, "{question} ")?;
    out.flush()?;
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| Failure::usage(format!("standard input: {error}")))?;
    Ok(line.trim().to_owned())
}
