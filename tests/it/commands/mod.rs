//! The program as a user meets it: commands, scenarios, messages, reports, documents.

pub mod aliases;
pub mod cli;
pub mod compare;
pub mod converge;
pub mod documents;
pub mod faults;
pub mod figures;
pub mod live;
pub mod meaningless_runs;
pub mod notebooks;
pub mod pictures;
pub mod report;
pub mod report_sweep;
pub mod scenario_format;
pub mod scenarios_run;
pub mod stress_calc;
pub mod study_sweep;
pub mod sweep;
pub mod unused_keys;
