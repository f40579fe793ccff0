//! Files of a run, saved states, and the same bits whatever is stopped, logged or dealt out.

pub mod coarse_fields;
pub mod domains;
pub mod export;
pub mod faults_files;
pub mod fuzz_seeds;
pub mod mesh_files;
pub mod other_builds;
pub mod ranks;
pub mod resume;
pub mod run_folder;
pub mod same_bits;
pub mod threads;
