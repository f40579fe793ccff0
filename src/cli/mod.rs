//! The command line: commands, progress, exit codes.
//!
//! Results go to standard output, messages to standard error. Exit status: 0 done, 1 the run
//! failed, 2 the input was wrong, 130 interrupted after a checkpoint was written.

mod calc;
mod check;
mod compare;
mod converge;
mod export;
mod failure;
mod grain;
mod interrupt;
mod law;
mod library;
mod page;
mod plot;
mod progress;
mod report;
mod run;
mod source;
mod sweep;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

/// Arenite simulates granular matter with many models at once.
#[derive(Debug, Parser)]
#[command(
    name = "arenite",
    version,
    about = "Simulates granular matter: grains fly, collide, flow and settle",
    max_term_width = 100,
    after_help = "Examples:\n  arenite run hopper              run the hopper that comes with the program\n  arenite new hopper mine.toml    write a scenario to edit\n  arenite check mine.toml         see what would run\n  arenite run mine.toml --set run.finish=2"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a scenario and write its records into a folder
    #[command(
        after_help = "Examples:\n  arenite run hopper\n  arenite run mine.toml -o runs/wide --set run.finish=2 --set 'fill[0].lattice.count=400'\n  arenite run hopper --resume     go on where an interrupted run stopped"
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
        after_help = "Examples:\n  arenite list\n  arenite list laws       each with its formula, unit and source"
    )]
    List(ListArgs),
    /// Make a contact law from restitution, friction and how deep grains may press into each other
    #[command(
        after_help = "Examples:\n  arenite law --radius 0.005 --density 2500 --restitution 0.9 --friction 0.5 --speed 1\n  arenite law --radius 0.005 --density 2500 --restitution 0.9 --friction 0.5 --speed 1 --young 6e10 --poisson 0.25"
    )]
    Law(LawArgs),
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
    /// Make one page of a run: its figures, an animation, plots; opens in any browser, offline
    #[command(
        after_help = "Examples:\n  arenite report runs/hopper-1     writes runs/hopper-1/report.html\n  arenite report runs/hopper-1 -o hopper.html --max-size 5"
    )]
    Report(ReportArgs),
    /// Put finished runs side by side: figures, curves, forces, paths
    #[command(
        after_help = "Examples:\n  arenite run hopper -o runs/a --seed 1\n  arenite run hopper -o runs/b --seed 1 --set run.tolerance=1e-4\n  arenite compare runs/a runs/b\n  arenite compare runs/heap-*     several seeds of two settings: means and their difference\n  arenite compare runs/a runs/b --plot curves.svg"
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

/// A scenario and values that replace its own.
#[derive(Debug, Args)]
struct ScenarioArgs {
    /// A file, or the name of an embedded scenario (see `arenite list`)
    scenario: String,
    /// Set a value of the scenario, as in run.finish=2 or 'fill[0].lattice.count=100'
    #[arg(long, value_name = "KEY.PATH=VALUE", value_parser = crate::scenario::Override::set)]
    set: Vec<crate::scenario::Override>,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<u64>,
    /// When the run ends, s (run.finish)
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    until: Option<f64>,
}

#[derive(Debug, Args)]
struct RunArgs {
    #[command(flatten)]
    source: ScenarioArgs,
    /// Folder of the records [default: runs/<name>-<seed>]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Threads for the work beside the simulation; never changes a result [default: all]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Stop with a checkpoint after this much time on the clock, s
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = seconds)]
    wall_limit: Option<std::time::Duration>,
    /// Go on from the last checkpoint in the folder
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Replace whatever run the folder holds
    #[arg(long)]
    force: bool,
    /// Say nothing unless something is wrong
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Debug, Args)]
struct CheckArgs {
    #[command(flatten)]
    source: ScenarioArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct ListArgs {
    /// Only scenarios, sweeps, materials or shapes; or laws, cohesion, walls, motions, fields, fluids, flows,
    /// fills, feeds or outlets in full
    #[arg(value_name = "WHAT")]
    what: Option<String>,
}

#[derive(Debug, Args)]
struct LawArgs {
    /// Radius of the grains, m
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    radius: f64,
    /// Their density, kg/m^3; in two dimensions kg/m^2
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    density: f64,
    /// Restitution coefficient, over 0 and up to 1
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    restitution: f64,
    /// Friction coefficient
    #[arg(long, value_name = "MU", allow_negative_numbers = true)]
    friction: f64,
    /// Speed at which they meet, m/s
    #[arg(long, value_name = "V", allow_negative_numbers = true)]
    speed: f64,
    /// Force that presses two of them together at rest, N
    #[arg(
        long,
        value_name = "F",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    load: f64,
    /// How deep they may go into each other, over the radius
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.01,
        allow_negative_numbers = true
    )]
    overlap: f64,
    /// Dimensions of space: 2 (disks) or 3 (spheres)
    #[arg(long, value_name = "N", default_value_t = 3)]
    dimension: u8,
    /// Young's modulus, Pa: gives Hertz's law, with as soft a modulus as `--overlap` lets
    #[arg(long, value_name = "PA", allow_negative_numbers = true)]
    young: Option<f64>,
    /// Poisson's ratio
    #[arg(
        long,
        value_name = "NU",
        default_value_t = 0.25,
        allow_negative_numbers = true
    )]
    poisson: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct NewArgs {
    /// Name of an embedded scenario
    name: String,
    /// The file to write, `-` for standard output [default: NAME.toml]
    file: Option<PathBuf>,
    /// Replace the file if it is there
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Args)]
struct ExportArgs {
    /// Folder of a run
    dir: PathBuf,
    /// The format
    #[arg(long, value_name = "FORMAT")]
    to: ExportTo,
    /// Folder to write into [default: DIR/export]
    #[arg(short, long, value_name = "OUT")]
    out: Option<PathBuf>,
    /// Of a picture: the snapshot nearest to this time, s [default: a discharge in full flow, any
    /// other run at its end]
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = moment)]
    time: Option<f64>,
    /// What a picture shows
    #[arg(long, value_name = "WHAT", default_value = "grains")]
    show: Show,
    /// Of a GIF: snapshots shown in a second [default: 20]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = size)]
    fps: Option<f64>,
    /// Of a GIF: its width, px [default: what fits into 480 x 640]
    #[arg(long, value_name = "PX", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(64..=4096))]
    width: Option<u32>,
}

/// What of a run a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Show {
    /// The grains of one snapshot with their forces
    Grains,
    /// How much of the time each place stands still (a run with log.stagnant)
    Stagnant,
}

/// A format of another program.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ExportTo {
    /// ParaView
    Vtk,
    /// OVITO: extended XYZ
    Xyz,
    /// Spreadsheets
    Csv,
    /// LAMMPS data file
    Lammps,
    /// A picture with the contact forces
    Png,
    /// The same picture as lines
    Svg,
    /// The pictures of all snapshots, animated
    Gif,
}

#[derive(Debug, Args)]
struct ReportArgs {
    /// Folder of a run that has ended
    dir: PathBuf,
    /// The page to write [default: DIR/report.html]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Size of the animation at most, MB; where it would be larger, snapshots are left out [default: 28]
    #[arg(long, value_name = "MB", allow_negative_numbers = true, value_parser = size)]
    max_size: Option<f64>,
}

#[derive(Debug, Args)]
struct CompareArgs {
    /// Folders of finished runs; the first is what the others are measured against
    #[arg(required = true, num_args = 2.., value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Draw the curves of discharge and energy and the distributions of forces into this file
    /// (.svg or .png)
    #[arg(long, value_name = "FILE", value_parser = drawing)]
    plot: Option<PathBuf>,
    /// Means over seeds that differ by less count as equal: a share of the first
    #[arg(long, value_name = "SHARE", default_value_t = 0.03, value_parser = share)]
    margin: f64,
}

#[derive(Debug, Args)]
struct ConvergeArgs {
    #[command(flatten)]
    source: ScenarioArgs,
    /// How often the step is halved; each halving doubles the time on the clock
    #[arg(long, value_name = "N", default_value_t = 5, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(2..=20))]
    halvings: u32,
    /// Times at which states are compared, at equal intervals
    #[arg(long, value_name = "N", default_value_t = 20, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    times: u32,
    /// Only times from this on count for the orders, s
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = moment)]
    from: Option<f64>,
    /// Only times up to this count for the orders, s [default: the end]
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = moment)]
    to: Option<f64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Draw errors against step and time into this file (.svg or .png)
    #[arg(long, value_name = "FILE", value_parser = drawing)]
    plot: Option<PathBuf>,
    /// Say nothing unless something is wrong
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Debug, Args)]
struct SweepArgs {
    /// A sweep file, or the name of an embedded sweep (see `arenite list`)
    file: String,
    /// Folder of the sweep [default: runs/sweep-<name>]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only part I of N; the parts need no server and may run at the same time
    #[arg(long, value_name = "I/N")]
    shard: Option<crate::sweep::Shard>,
    /// Run nothing: one table of what the parts have done
    #[arg(long, conflicts_with_all = ["shard", "check", "retry", "keep"])]
    merge: bool,
    /// Run nothing: tell what would run, and how long it takes at most
    #[arg(long)]
    check: bool,
    /// Runs at the same time [default: one a core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Set a value of the scenario for all runs, as in run.finish=2
    #[arg(long, value_name = "KEY.PATH=VALUE", value_parser = crate::scenario::Override::set)]
    set: Vec<crate::scenario::Override>,
    /// What is kept of each run made now [default: what the file says, else summary]
    #[arg(long, value_name = "WHAT")]
    keep: Option<KeepArg>,
    /// Try again what failed, and go on with what reached its limit of time
    #[arg(long)]
    retry: bool,
    /// Draw figures and the share of jams against the first parameter (.svg or .png)
    #[arg(long, value_name = "FILE", value_parser = drawing)]
    plot: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Say nothing unless something is wrong
    #[arg(short, long)]
    quiet: bool,
}

/// What a sweep keeps of each run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum KeepArg {
    /// Nothing but its row of the table
    Row,
    /// scenario.toml, which runs it again, and summary.json
    Summary,
    /// These, series.parquet and avalanches.parquet
    Series,
    /// All that `arenite run` writes
    All,
}

impl From<KeepArg> for crate::sweep::Keep {
    fn from(keep: KeepArg) -> Self {
        match keep {
            KeepArg::Row => Self::Row,
            KeepArg::Summary => Self::Summary,
            KeepArg::Series => Self::Series,
            KeepArg::All => Self::All,
        }
    }
}

#[derive(Debug, Args)]
struct GrainArgs {
    /// An STL file, a list of spheres, disks or arcs (TOML or JSON), or the name of an embedded shape
    #[arg(required_unless_present_any = ["list", "random"], conflicts_with_all = ["list", "random"])]
    source: Option<String>,
    /// Show the embedded shapes
    #[arg(long, conflicts_with = "random")]
    list: bool,
    /// Make a clump of so many spheres at random, the largest possible radius 1
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    random: Option<u32>,
    /// With --random: disks instead of spheres
    #[arg(long, requires = "random")]
    planar: bool,
    /// Of an STL: how spheres are chosen
    #[arg(long, value_name = "METHOD")]
    method: Option<FitMethod>,
    /// Of an STL: the most spheres [default: 30; 1000 with --fidelity or --coverage]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    spheres: Option<u32>,
    /// Of an STL: as many spheres as it takes for this overlap, volume in both over volume in either
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = share)]
    fidelity: Option<f64>,
    /// Smallest radius [default: 0.01 of the longest side; with --random a share of the largest, 0.5]
    #[arg(long, value_name = "R", allow_negative_numbers = true, value_parser = size)]
    least: Option<f64>,
    /// How deep spheres reach into each other, over a radius [default: 0.6 inscribed, 0.5 random]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    overlap: Option<f64>,
    /// ferrellec-mcdowell: points of the surface so near to a sphere are covered [default: 0.02 of the
    /// longest side]
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = size)]
    distance: Option<f64>,
    /// ferrellec-mcdowell: share of the surface that shall be covered [default: 0.95]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    coverage: Option<f64>,
    /// favier: direction of the axis [default: the longest principal axis]
    #[arg(long, value_name = "X,Y,Z", allow_negative_numbers = true, value_parser = direction)]
    axis: Option<[f64; 3]>,
    /// inscribed: voxels along the longest side
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(2..=512))]
    voxels: u16,
    /// Seed of what is drawn at random
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Of a list of spheres: the STL file that it is compared with
    #[arg(long, value_name = "STL", conflicts_with_all = ["list", "random"])]
    against: Option<PathBuf>,
    /// Multiply all lengths of what is read or made, as 1e-3 for an STL in mm
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, allow_negative_numbers = true, value_parser = size)]
    scale: f64,
    /// Density of what is written and weighed, kg/m^3 (disks and arcs: kg/m^2)
    #[arg(long, value_name = "RHO", default_value_t = 1.0, allow_negative_numbers = true, value_parser = size)]
    density: f64,
    /// Write the shape as TOML, as `arenite calc grain` reads it; `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// With --out: write [shape.NAME] for a scenario, without the density
    #[arg(long, value_name = "NAME", requires = "out")]
    shape: Option<String>,
    /// Replace the file of --out if it is there
    #[arg(long)]
    force: bool,
    /// Draw the shape, and fidelity against the number of spheres (.svg or .png)
    #[arg(long, value_name = "FILE", value_parser = drawing)]
    plot: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How spheres are chosen that stand for a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FitMethod {
    /// The largest inscribed spheres, one after the other, by the distance transform
    Inscribed,
    /// Spheres inside, tangent at points of the surface (Ferrellec and McDowell 2010)
    FerrellecMcdowell,
    /// Spheres along an axis that reach to the surface (Favier et al. 1999)
    Favier,
}

#[derive(Debug, Args)]
struct CalcArgs {
    /// The model
    kind: CalcKind,
    /// A JSON or TOML file with one case or an array of cases (in TOML: [[case]]); `-` for
    /// standard input
    file: PathBuf,
}

/// A model that can be used by itself.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum CalcKind {
    /// Time of first contact of two bodies on parabolic paths
    Flight,
    /// Outcome of a collision
    Collision,
    /// What a scaled linear contact does to the relative motion of two spheres
    Mapping,
    /// Displacements and link stresses of a network in equilibrium
    Stress,
    /// Rigid groups of a planar network by counting
    Rigidity,
    /// Masses by particle size in a ball mill over time
    Grinding,
    /// Mass properties of a grain: disks, spheres, arcs, or the inside of an STL surface
    Grain,
    /// Where two grains of disks, spheres or arcs touch, and how deep they overlap
    Contact,
}

fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| format!("`{text}` is not a number"))?;
    std::time::Duration::try_from_secs_f64(number)
        .map_err(|_| format!("{number} must be 0 or more seconds"))
}

fn drawing(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension().and_then(|end| end.to_str()) {
        Some("svg" | "png") => Ok(path),
        _ => Err(format!("`{text}` must end in .svg or .png")),
    }
}

fn share(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|share: &f64| *share > 0.0 && *share < 1.0)
        .ok_or_else(|| format!("`{text}` is not a share between 0 and 1"))
}

fn direction(text: &str) -> Result<[f64; 3], String> {
    let numbers = text.split(',').map(|word| word.trim().parse::<f64>());
    let numbers: Result<Vec<f64>, _> = numbers.collect();
    numbers
        .ok()
        .filter(|numbers| numbers.iter().all(|n| n.is_finite()))
        .and_then(|numbers| <[f64; 3]>::try_from(numbers).ok())
        .ok_or_else(|| format!("`{text}` is not three numbers, as in 0,0,1"))
}

fn size(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|size: &f64| *size > 0.0 && size.is_finite())
        .ok_or_else(|| format!("`{text}` is not a number greater than 0"))
}

fn moment(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|time: &f64| time.is_finite())
        .ok_or_else(|| format!("`{text}` is not a time in s"))
}

/// Refuses a folder that holds no records of a run.
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

/// The program: parses the arguments, runs the command, tells how it went.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help is not an error; a pipe that closed while it was printed is none either.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let result = match cli.command {
        Command::Run(args) => run::run(&args),
        Command::Check(args) => check::check(&args),
        Command::Law(args) => law::law(&args),
        Command::New(args) => library::new(&args),
        Command::List(args) => library::list(args.what.as_deref()),
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
