use std::io::Write;

use serde_json::json;

use crate::cli::{Output, VectorsArgs};
use crate::exit::{COMPATIBLE, DIFFERENT, Failure, Result};
use crate::vectors;

pub(super) fn run(args: &VectorsArgs, out: &mut dyn Write) -> Result<u8> {
    let all = vectors::load(&args.files)?;
    if all.is_empty() {
        return Err(Failure::usage("the files hold no vectors"));
    }
    let answers: Vec<_> = all
        .iter()
        .map(|vector| (vector, vectors::answer(vector)))
        .collect();
    let wrong = answers.iter().filter(|(_, answer)| answer.is_err()).count();
    let right = answers.len() - wrong;
    match args.output {
        Output::Json => {
            let by_id: serde_json::Map<_, _> = answers
                .iter()
                .map(|(vector, answer)| {
                    let entry = match answer {
                        Ok(()) => json!({"right": true}),
                        Err(message) => json!({"right": false, "message": message}),
                    };
                    (vector.id.clone(), entry)
                })
                .collect();
            super::print_json(
                out,
                &json!({"right": right, "wrong": wrong, "by_id": by_id}),
            )?;
        }
        Output::Human => {
            for (vector, answer) in &answers {
                if let Err(message) = answer {
                    writeln!(out, "{}: {message}", vector.id)?;
                }
            }
            writeln!(out, "{right} right, {wrong} wrong")?;
        }
    }
    Ok(if wrong == 0 { COMPATIBLE } else { DIFFERENT })
}
