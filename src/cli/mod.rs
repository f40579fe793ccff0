//! The command line: commands, progress, exit codes.
//!
//! Results go to standard output, messages to standard error. Exit status: 0 done, 1 the run failed, 2 the input was
//! wrong, 130 interrupted after a checkpoint was written.

// Its comments are help texts, where <name> stands for a name.
#[allow(rustdoc::invalid_html_tags)]
mod args;
pub(crate) mod calc;
mod calibrate;
mod check;
mod compare;
mod converge;
mod export;
mod failure;
mod grain;
mod interrupt;
mod library;
mod live;
mod page;
mod plot;
mod progress;
mod report;
mod run;
mod serve;
mod source;
mod sweep;
mod together;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use args::*;

/// Arenite simulates granular matter with many models at once.
#[derive(Debug, Parser)]
#[command(
    name = "arenite",
    version,
    about = "Simulates granular matter: grains fly, collide, flow and settle",
    max_term_width = 100,
    after_help = "Examples:\n  arenite run hopper              run the hopper that comes with the program\n  arenite new hopper mine.toml    write a scenario to edit\n  arenite check mine.toml         see what would run\n  arenite run mine.toml --set run.end_time=2"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a scenario and write its records into a folder
    #[command(
        after_help = "Examples:\n  arenite run hopper\n  arenite run mine.toml -o runs/wide --set run.end_time=2 --set 'fill[0].lattice.count=400'\n  arenite run hopper --resume     go on where an interrupted run stopped"
    )]
    Run(RunArgs),
    /// Check a scenario and tell what would run: bodies, step, cost
    #[command(
        after_help = "Examples:\n  arenite check mine.toml\n  arenite check hopper --json --set run.step=2e-5"
    )]
    Check(CheckArgs),
    /// Write a commented scenario to start from
    #[command(
        after_help = "Examples:\n  arenite new hopper mine.toml\n  arenite new hopper -          print it"
    )]
    New(NewArgs),
    /// List the embedded scenarios, materials and grain shapes, and what scenarios are made of
    #[command(
        after_help = "Examples:\n  arenite list\n  arenite list laws       each with its formula, unit and source\n  arenite list capabilities   what each model takes, and what is missing"
    )]
    List(ListArgs),
    /// Make a contact law from restitution, friction and how deep grains may press into each other
    #[command(
        alias = "law",
        after_help = "Examples:\n  arenite calibrate --radius 0.005 --density 2500 --restitution 0.9 --friction 0.5 --speed 1\n  arenite calibrate --radius 0.005 --density 2500 --restitution 0.9 --friction 0.5 --speed 1 --young 6e10 --poisson 0.25"
    )]
    Calibrate(CalibrateArgs),
    /// Print the JSON Schema of the scenario file
    #[command(
        after_help = "Examples:\n  arenite schema > arenite.schema.json     for completion in an editor\n  arenite schema --sweep > sweep.schema.json"
    )]
    Schema {
        /// Of the sweep file instead
        #[arg(long)]
        sweep: bool,
    },
    /// Write the records of a run in the format of another program
    #[command(
        after_help = "Examples:\n  arenite export runs/hopper-1 --to vtk     for ParaView\n  arenite export runs/hopper-1 --to png --time 0.6 -o figures\n  arenite export runs/hopper-1 --to gif --fps 10\n  arenite export runs/funnel-1 --to png --show stagnant     mass flow or funnel flow"
    )]
    Export(ExportArgs),
    /// Make one page of a run or a sweep: figures, an animation, plots; opens in any browser, offline
    #[command(
        after_help = "Examples:\n  arenite report runs/hopper-1     writes runs/hopper-1/report.html\n  arenite report runs/hopper-1 -o hopper.html --max-size 5\n  arenite report runs/sweep-jam    of a sweep: curves, maps, jams, the table\n  arenite report runs/hopper-1 --plots figures     each plot as SVG and CSV"
    )]
    Report(ReportArgs),
    /// Put finished runs side by side: figures, curves, forces, paths
    #[command(
        after_help = "Examples:\n  arenite run hopper -o runs/a --seed 1\n  arenite run hopper -o runs/b --seed 1 --set run.tolerance=1e-4\n  arenite compare runs/a runs/b\n  arenite compare runs/heap-*     several seeds of two settings: means and their difference\n  arenite compare runs/a runs/b --plot curves.svg\n  arenite compare runs/a runs/b -o both.html       a page with curves over each other"
    )]
    Compare(CompareArgs),
    /// Repeat a run with the step halved; the order of the integrator and of the energy's error
    #[command(
        after_help = "Examples:\n  arenite converge head-on\n  arenite converge head-on --set run.integrator=euler --halvings 7\n  arenite converge mine.toml --until 0.1 --to 0.05 --plot orders.svg     before chaos sets in"
    )]
    Converge(ConvergeArgs),
    /// Make many runs over parameters and seeds on all cores; one table of all
    #[command(
        after_help = "Examples:\n  arenite sweep jam\n  arenite sweep beverloo --check            what would run, and how long\n  arenite new beverloo mine.toml            a sweep to edit\n  arenite sweep mine.toml -o mine --threads 4\n  arenite sweep mine.toml -o mine --shard 3/16     a part of it, as for a job array\n  arenite sweep mine.toml -o mine --merge          one table of all parts"
    )]
    Sweep(SweepArgs),
    /// Make and inspect grain shapes: clumps of spheres from STL, from a list, at random
    #[command(
        after_help = "Examples:\n  arenite grain --list\n  arenite grain t-bar --plot t-bar.svg\n  arenite grain pebble.stl --spheres 30 -o pebble.toml --plot pebble.svg\n  arenite grain pebble.stl --method favier --fidelity 0.9 --scale 1e-3 -o -\n  arenite grain mine.toml --against pebble.stl     how faithful a list of spheres is\n  arenite grain --random 7 --seed 3 -o lump.toml"
    )]
    Grain(GrainArgs),
    /// Calculate a case with one model by itself; JSON on standard output
    #[command(
        after_help = "Examples:\n  echo '{\"bodies\": [{\"kind\": \"sphere\", \"position\": [0, 0], \"velocity\": [1, 0], \"acceleration\": [0, 0], \"radius\": 0.5},\n    {\"kind\": \"plane\", \"position\": [2, 0], \"velocity\": [0, 0], \"acceleration\": [0, 0], \"normal\": [-1, 0]}]}' > case.json\n  arenite calc flight case.json\n  echo '{\"density\": 2500, \"spheres\": [{\"centre\": [0, 0, 0], \"radius\": 1e-3}, {\"centre\": [1e-3, 0, 0], \"radius\": 1e-3}]}' | arenite calc grain -"
    )]
    Calc(CalcArgs),
    /// Print completions for a shell
    #[command(
        after_help = "Example:\n  arenite completions bash > ~/.local/share/bash-completion/completions/arenite"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Refuses a folder without the records of a run.
fn run_folder(dir: &std::path::Path) -> Result<(), failure::Failure> {
    let wrong = |what: &str| Err(failure::Failure::Input(what.into()));
    let folder = dir.display();
    if !dir.is_dir() {
        return wrong(&format!(
            "there is no folder {folder}; give the folder of a run"
        ));
    }
    if dir.join("grains.parquet").is_file() {
        return Ok(());
    }
    if dir.join("scenario.toml").is_file() {
        return wrong(&format!(
            "{folder} holds a run that has not come to its end: wait for it, or go on with `arenite run` and --resume"
        ));
    }
    wrong(&format!(
        "{folder} holds no records of a run; give the folder of a run, as it is named at its end"
    ))
}

/// The program: parses the arguments, runs the command, reports the result.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help is not an error, nor is a pipe that closed while it was printed.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let result = match cli.command {
        Command::Run(args) => run::run(&args),
        Command::Check(args) => check::check(&args),
        Command::Calibrate(args) => calibrate::calibrate(&args),
        Command::New(args) => library::new(&args),
        Command::List(args) => library::list(&args),
        Command::Schema { sweep } => library::schema(sweep),
        Command::Sweep(args) => sweep::sweep(&args),
        Command::Export(args) => export::export(&args),
        Command::Report(args) => page::page(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Converge(args) => converge::converge(&args),
        Command::Grain(args) => grain::grain(&args),
        Command::Calc(args) => calc::calc(&args),
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "arenite", &mut text);
            report::print(&text)
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.tell(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    /// `--help` of every command has an example.
    #[test]
    fn every_command_has_an_example() {
        for command in Cli::command().get_subcommands() {
            let text = command.get_after_help().map(ToString::to_string);
            let text = text.unwrap_or_default();
            assert!(
                text.contains(&format!("arenite {}", command.get_name())),
                "{} lacks an example",
                command.get_name()
            );
        }
    }
}
