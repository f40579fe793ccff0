//! Failures of a command, and its exit status.

use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use crate::record::RecordError;
use crate::scenario::Problem;
use crate::system::SystemError;

/// Reason why a command failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// A fault in the scenario.
    Scenario(Problem),
    /// A fault in the input.
    Input(String),
    /// An error of the run or of the machine.
    Run(String),
    /// Stopped from outside after a checkpoint.
    Interrupted(String),
    /// The reader of the output is gone, which is no error.
    ClosedPipe,
}

impl Failure {
    /// Returns the error as one line.
    pub fn text(&self) -> String {
        match self {
            Failure::Scenario(problem) => problem.title().to_owned(),
            Failure::Input(text) | Failure::Run(text) | Failure::Interrupted(text) => text.clone(),
            Failure::ClosedPipe => "the reader of the output is gone".into(),
        }
    }

    /// Prints the error and returns the exit status.
    pub fn tell(self) -> ExitCode {
        let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let (text, status) = match self {
            Failure::Scenario(problem) => (problem.render(colour), 2),
            Failure::Input(text) => (format!("error: {text}"), 2),
            Failure::Run(text) => (format!("error: {text}"), 1),
            Failure::Interrupted(text) => (text, 130),
            Failure::ClosedPipe => return ExitCode::SUCCESS,
        };
        // Standard error may be closed too; the exit status still reports the failure.
        let _ = writeln!(std::io::stderr(), "{text}");
        ExitCode::from(status)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::Run(format!("cannot write: {error}")),
        }
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Failure::Scenario(problem)
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        Failure::Run(error.to_string())
    }
}

impl From<SystemError> for Failure {
    fn from(error: SystemError) -> Self {
        match error {
            SystemError::Setup(text) => Failure::Input(text),
            other => Failure::Run(other.to_string()),
        }
    }
}
