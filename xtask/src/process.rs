//! Starting other programs, and saying in one line what went wrong with them.

use std::process::{Command, Stdio};
use std::time::Duration;

/// What every task returns: an error is one line for a person, which says what to do.
pub(crate) type Outcome<T = ()> = Result<T, String>;

/// Runs a command to its end with our output and no input, so that nothing can wait for a
/// keyboard in a build machine.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(|error| cannot_start(command, &error))?;
    if status.success() {
        return Ok(());
    }
    Err(format!("`{}` failed ({status})", line(command)))
}

/// Runs a command and returns what it printed; its complaints become the error.
pub(crate) fn output(command: &mut Command) -> Outcome<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| cannot_start(command, &error))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{}` failed: {}", line(command), complaint.trim()));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| format!("`{}` printed something that is not text", line(command)))
}

/// The command as a person would have typed it, without its environment.
pub(crate) fn line(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|word| word.to_string_lossy().into()));
    words.join(" ")
}

/// A duration for people: tenths of a second are enough.
pub(crate) fn seconds(took: Duration) -> String {
    format!("{:.1} s", took.as_secs_f64())
}

fn cannot_start(command: &Command, error: &std::io::Error) -> String {
    format!("cannot start `{}`: {error}", line(command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_command_is_named_with_its_arguments() {
        let problem = run(Command::new("sh").args(["-c", "exit 3"])).unwrap_err();
        assert!(problem.contains("sh -c exit 3"), "{problem}");
        assert!(problem.contains('3'), "{problem}");
    }

    #[test]
    fn a_missing_program_is_named() {
        let problem = output(&mut Command::new("no-such-program-here")).unwrap_err();
        assert!(problem.contains("cannot start `no-such-program-here`"));
    }

    #[test]
    fn what_a_command_complains_of_is_in_the_error() {
        let problem = output(Command::new("sh").args(["-c", "echo why >&2; exit 1"])).unwrap_err();
        assert!(problem.ends_with("failed: why"), "{problem}");
    }
}
