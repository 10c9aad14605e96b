//! The `interop-check` binary: parse, dispatch, exit.

use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match interop_check::cli::parse() {
        Ok(cli) => cli,
        Err(exit) => return exit.into(),
    };
    let outcome = interop_check::commands::dispatch(cli, &mut std::io::stdout().lock());
    interop_check::exit::report(outcome).into()
}
