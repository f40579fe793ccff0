//! Runs of a program as a process, one or several at a time.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use arenite::record::{Summary, read};

use super::Fallible;

/// A folder of a run, taken away with it.
pub struct Folder(PathBuf);

impl Folder {
    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn summary(&self) -> Fallible<Summary> {
        Ok(read::summary(&self.0)?)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The command of a run, on one thread, into a new folder.
pub fn command(program: &Path, arguments: &[String]) -> (Command, Folder) {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("arenite-net-{}-{number}", std::process::id());
    let folder = Folder(std::env::temp_dir().join(name));
    let mut command = Command::new(program);
    command
        .arg("run")
        .args(arguments)
        .args(["--quiet", "--force", "--threads", "1", "-o"])
        .arg(&folder.0)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    (command, folder)
}

/// Runs to the end. A jam is an end as good as any.
pub fn run(program: &Path, arguments: &[String]) -> Fallible<Folder> {
    let (mut command, folder) = command(program, arguments);
    let status = command
        .status()
        .map_err(|error| format!("cannot run {}: {error}", program.display()))?;
    if folder.path().join("summary.json").exists() {
        Ok(folder)
    } else {
        Err(format!(
            "{} run {}: {status}",
            program.display(),
            arguments.join(" ")
        )
        .into())
    }
}

/// Does all jobs, several at a time; answers in order.
pub fn all<J: Sync, T: Send>(
    jobs: &[J],
    at_once: usize,
    does: impl Fn(&J) -> Fallible<T> + Sync,
) -> Fallible<Vec<T>> {
    let next = Mutex::new(0..jobs.len());
    let done = Mutex::new(Vec::new());
    let work = || {
        while let Some(index) = next.lock().ok().and_then(|mut next| next.next()) {
            let answer = does(&jobs[index]).map_err(|error| error.to_string());
            if let Ok(mut done) = done.lock() {
                done.push((index, answer));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..at_once.max(1) {
            scope.spawn(work);
        }
    });
    let mut done = done.into_inner().map_err(|error| error.to_string())?;
    done.sort_by_key(|(index, _)| *index);
    let answers: Result<Vec<T>, String> = done.into_iter().map(|(_, answer)| answer).collect();
    Ok(answers?)
}
