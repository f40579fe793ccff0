//! Spools: append-only files of packed rows, one per table, written during a run.
//!
//! Rows gather in memory; full buffers are written at once or, with more than one thread, by a separate thread behind
//! a short queue. The file contents are the same.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use crc32fast::Hasher;

use super::RecordError;
use super::column::Table;
use super::sums::length_and_sum;

/// Bytes gathered before they are written: large against the cost of a system call.
const BUFFER: usize = 1 << 17;
/// Buffers that may wait for the writing thread: few enough to bound memory, enough that the driver need not wait.
const QUEUE: usize = 16;

/// Name of a table's spool.
pub(super) fn spool_path(checkpoints: &Path, table: Table) -> PathBuf {
    checkpoints.join(format!("{}.spool", table.name()))
}

/// The open files. After a failed write nothing more is written: rows after a torn one could not be read.
#[derive(Debug)]
struct Files {
    files: Vec<(PathBuf, File)>,
    failed: bool,
}

impl Files {
    fn append(&mut self, table: usize, bytes: &[u8]) -> Result<(), RecordError> {
        if self.failed {
            return Ok(());
        }
        let (path, file) = &mut self.files[table];
        file.write_all(bytes).map_err(|e| {
            self.failed = true;
            RecordError::io("cannot write", path)(e)
        })
    }

    fn sync(&mut self) -> Result<(), RecordError> {
        if self.failed {
            return Ok(());
        }
        for (path, file) in &self.files {
            file.sync_data()
                .map_err(RecordError::io("cannot write", path))?;
        }
        Ok(())
    }
}

enum Job {
    Append(usize, Vec<u8>),
    Sync(Sender<Result<(), RecordError>>),
}

#[derive(Debug)]
enum Writer {
    Here(Files),
    Thread {
        jobs: SyncSender<Job>,
        faults: Receiver<RecordError>,
        handle: JoinHandle<()>,
    },
}

/// The spools of a run.
#[derive(Debug)]
pub(super) struct Spools {
    writer: Option<Writer>,
    buffers: Vec<Vec<u8>>,
    extents: Vec<Extent>,
}

/// The part of a spool that belongs to a checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Extent {
    /// Bytes.
    pub(super) length: u64,
    /// Their CRC-32.
    pub(super) sum: u32,
}

impl Extent {
    fn add(&mut self, bytes: &[u8]) {
        let mut sum = Hasher::new_with_initial(self.sum);
        sum.update(bytes);
        self.sum = sum.finalize();
        self.length += bytes.len() as u64;
    }

    /// Whether the file begins with the bytes of this extent.
    pub(super) fn is_in(self, path: &Path) -> bool {
        let summed = File::open(path).and_then(|file| length_and_sum(file.take(self.length)));
        summed.is_ok_and(|(length, sum)| Extent { length, sum } == self)
    }
}

impl Spools {
    /// Opens the spools, truncated to these extents; creates missing ones.
    pub(super) fn open(
        checkpoints: &Path,
        extents: &[Extent],
        threads: usize,
    ) -> Result<Spools, RecordError> {
        let mut files = Vec::new();
        for (table, &Extent { length, .. }) in Table::ALL.into_iter().zip(extents) {
            let path = spool_path(checkpoints, table);
            let mut file = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .map_err(RecordError::io("cannot create", &path))?;
            // Devices (tests write to one that is always full) cannot be truncated.
            let regular = file.metadata().is_ok_and(|m| m.is_file());
            if regular {
                file.set_len(length)
                    .map_err(RecordError::io("cannot write", &path))?;
                file.seek(SeekFrom::Start(length))
                    .map_err(RecordError::io("cannot write", &path))?;
            }
            files.push((path, file));
        }
        let files = Files {
            files,
            failed: false,
        };
        let writer = if threads > 1 {
            Writer::start(files)?
        } else {
            Writer::Here(files)
        };
        Ok(Spools {
            writer: Some(writer),
            buffers: vec![Vec::new(); extents.len()],
            extents: extents.to_vec(),
        })
    }

    /// Appends a row; `pack` pushes its bytes.
    #[inline]
    pub(super) fn append(
        &mut self,
        table: Table,
        pack: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), RecordError> {
        let index = table as usize;
        pack(&mut self.buffers[index]);
        if self.buffers[index].len() >= BUFFER {
            self.hand_over(index)?;
        }
        Ok(())
    }

    /// Passes a buffer to the files.
    fn hand_over(&mut self, index: usize) -> Result<(), RecordError> {
        if self.buffers[index].is_empty() {
            return Ok(());
        }
        self.extents[index].add(&self.buffers[index]);
        match self.writer.as_mut() {
            Some(Writer::Here(files)) => {
                let done = files.append(index, &self.buffers[index]);
                self.buffers[index].clear();
                done
            }
            Some(Writer::Thread { jobs, faults, .. }) => {
                let full = std::mem::replace(
                    &mut self.buffers[index],
                    Vec::with_capacity(BUFFER + BUFFER / 8),
                );
                // The thread ends only after this sender is dropped, so sending cannot fail unless the thread
                // panicked; then its fault shows at the next sync.
                let _ = jobs.send(Job::Append(index, full));
                match faults.try_recv() {
                    Ok(fault) => Err(fault),
                    Err(_) => Ok(()),
                }
            }
            None => Ok(()),
        }
    }

    /// Writes all rows to the disk; returns the extent of each spool.
    pub(super) fn sync(&mut self) -> Result<Vec<Extent>, RecordError> {
        for index in 0..self.buffers.len() {
            self.hand_over(index)?;
        }
        match self.writer.as_mut() {
            Some(Writer::Here(files)) => files.sync()?,
            Some(Writer::Thread { jobs, faults, .. }) => {
                let (done, wait) = channel();
                let _ = jobs.send(Job::Sync(done));
                let synced = wait.recv();
                if let Ok(fault) = faults.try_recv() {
                    return Err(fault);
                }
                synced.unwrap_or_else(|_| {
                    let source = std::io::Error::other("the writing thread has ended");
                    Err(RecordError::io("cannot write", Path::new("checkpoint"))(
                        source,
                    ))
                })?;
            }
            None => {}
        }
        Ok(self.extents.clone())
    }
}

impl Drop for Spools {
    /// Writes the remaining rows, so that a run stopped by an error keeps all its records.
    fn drop(&mut self) {
        for index in 0..self.buffers.len() {
            // An error can no longer be reported here.
            let _ = self.hand_over(index);
        }
        if let Some(Writer::Thread { jobs, handle, .. }) = self.writer.take() {
            drop(jobs);
            let _ = handle.join();
        }
    }
}

impl Writer {
    fn start(mut files: Files) -> Result<Writer, RecordError> {
        let (jobs, work) = sync_channel::<Job>(QUEUE);
        let (tell, faults) = channel();
        let handle = std::thread::Builder::new()
            .name("arenite-spools".into())
            .spawn(move || {
                for job in work {
                    match job {
                        Job::Append(table, bytes) => {
                            if let Err(fault) = files.append(table, &bytes) {
                                let _ = tell.send(fault);
                            }
                        }
                        Job::Sync(done) => {
                            let _ = done.send(files.sync());
                        }
                    }
                }
            })
            .map_err(RecordError::io(
                "cannot start a thread for",
                Path::new("checkpoint"),
            ))?;
        Ok(Writer::Thread {
            jobs,
            faults,
            handle,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(table: Table, value: u8) -> impl FnOnce(&mut Vec<u8>) {
        move |bytes| {
            bytes.extend_from_slice(&[value; 100 + Table::ALL.len()][..100 + table as usize])
        }
    }

    #[test]
    fn a_thread_writes_the_same_bytes() {
        let mut found = Vec::new();
        for threads in [1, 2] {
            let folder = tempfile::tempdir().unwrap();
            let mut spools = Spools::open(
                folder.path(),
                &[Extent::default(); Table::ALL.len()],
                threads,
            )
            .unwrap();
            for k in 0..7500u32 {
                let table = Table::ALL[k as usize % 5];
                spools.append(table, row(table, k as u8)).unwrap();
            }
            let extents = spools.sync().unwrap();
            let lengths: Vec<u64> = extents.iter().map(|extent| extent.length).collect();
            assert_eq!(lengths[..5], [150_000, 151_500, 153_000, 154_500, 156_000]);
            assert!(lengths[5..].iter().all(|length| *length == 0));
            for (table, extent) in Table::ALL.into_iter().zip(extents) {
                assert!(extent.is_in(&spool_path(folder.path(), table)));
            }
            spools.append(Table::Links, row(Table::Links, 1)).unwrap();
            drop(spools);
            let contents = Table::ALL.map(|t| std::fs::read(spool_path(folder.path(), t)).unwrap());
            assert_eq!(contents[3].len(), 154_603);
            found.push(contents);
        }
        assert_eq!(found[0], found[1]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_told_with_the_path_once() {
        for threads in [1, 2] {
            let folder = tempfile::tempdir().unwrap();
            let path = spool_path(folder.path(), Table::Grains);
            std::os::unix::fs::symlink("/dev/full", &path).unwrap();
            let mut spools = Spools::open(
                folder.path(),
                &[Extent::default(); Table::ALL.len()],
                threads,
            )
            .unwrap();
            spools.append(Table::Events, row(Table::Events, 1)).unwrap();
            spools.append(Table::Grains, row(Table::Grains, 1)).unwrap();
            let message = spools.sync().unwrap_err().to_string();
            let start = format!("cannot write {}: No space left on device", path.display());
            assert!(message.starts_with(&start), "{message}");
            // The other tables keep their rows.
            drop(spools);
            let events = std::fs::read(spool_path(folder.path(), Table::Events)).unwrap();
            assert_eq!(events.len(), 100);
        }
    }
}
