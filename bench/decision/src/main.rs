//! `usher-bench-decision SIDE [MODULE]`: checks and measures the rule of the benchmark `decision`, on the side
//! of ours, and as native Rust. A side is `usher` or `usher-fresh`, which need the module's file, `native` or
//! `native-owned`. Prints one line of JSON; [`usher_bench_rule::run`] says what is in it.

mod asks;
mod native;
mod seated;
mod usher;

use std::process::ExitCode;

use usher_bench_rule::{Options, Side, run};

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("usher-bench-decision: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<(), String> {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_default();
    let mut module = || args.next().ok_or("which module?");
    let mut side: Box<dyn Side> = match name.as_str() {
        "usher" => Box::new(usher::Usher::start(&module()?, false)?),
        "usher-fresh" => Box::new(usher::Usher::start(&module()?, true)?),
        "native" => Box::new(native::Native::new(false)),
        "native-owned" => Box::new(native::Native::new(true)),
        _ => return Err("which side: usher, usher-fresh, native or native-owned?".to_owned()),
    };
    let about = match name.starts_with("usher") {
        true => concat!("usher ", env!("CARGO_PKG_VERSION")),
        false => "a Rust function",
    };
    run(&name, about, Options::from_args(args)?, &mut *side)
}
