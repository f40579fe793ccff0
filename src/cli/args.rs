//! Arguments of the commands.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::calc::CalcKind;

/// A scenario and values that replace its own.
#[derive(Debug, Args)]
pub(super) struct ScenarioArgs {
    /// A file, or the name of an embedded scenario (see `arenite list`)
    pub(super) scenario: String,
    /// Set a value of the scenario, as in run.end_time=2 or 'fill[0].lattice.count=100'
    #[arg(long, value_name = "KEY.PATH=VALUE", value_parser = crate::scenario::Override::set)]
    pub(super) set: Vec<crate::scenario::Override>,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(super) seed: Option<u64>,
    /// When the run ends, s (run.end_time)
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub(super) until: Option<f64>,
}

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    pub(super) source: ScenarioArgs,
    /// Folder of the records [default: runs/<name>-<seed>]
    #[arg(short, long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Threads that share the work; never changes a result [default: one a core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) threads: Option<u16>,
    /// Stop with a checkpoint after this much time on the clock, s
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = seconds)]
    pub(super) wall_limit: Option<std::time::Duration>,
    /// Go on from the last checkpoint in the folder
    #[arg(long, conflicts_with = "force")]
    pub(super) resume: bool,
    /// Replace whatever run the folder holds
    #[arg(long)]
    pub(super) force: bool,
    /// Of processes started together by `mpirun`: how many share the box along each axis, as in 4x2
    /// [default: by the extent of the grains]
    #[arg(long, alias = "bricks", value_name = "NxN", conflicts_with = "resume", value_parser = domains)]
    pub(super) domains: Option<[usize; 3]>,
    /// Show the run in a browser while it goes on, on this machine only; PORT [default: any that is free]
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    pub(super) live: Option<u16>,
    /// Say nothing unless something is wrong
    #[arg(short, long)]
    pub(super) quiet: bool,
}

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub(super) source: ScenarioArgs,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Only scenarios, sweeps, materials, shapes or capabilities; or laws, cohesion, walls, motions, fields, fluids, flows, meters,
    /// fills, feeds, outlets, boxes or shears in full
    #[arg(value_name = "WHAT")]
    pub(super) what: Option<String>,
    /// As JSON (capabilities)
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct CalibrateArgs {
    /// Radius of the grains, m
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub(super) radius: f64,
    /// Their density, kg/m^3; in two dimensions kg/m^2
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    pub(super) density: f64,
    /// Restitution coefficient, over 0 and up to 1
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub(super) restitution: f64,
    /// Friction coefficient
    #[arg(long, value_name = "MU", allow_negative_numbers = true)]
    pub(super) friction: f64,
    /// Speed at which they meet, m/s
    #[arg(long, value_name = "V", allow_negative_numbers = true)]
    pub(super) speed: f64,
    /// Force that presses two of them together at rest, N
    #[arg(
        long,
        value_name = "F",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    pub(super) load: f64,
    /// How deep they may go into each other, over the radius
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.01,
        allow_negative_numbers = true
    )]
    pub(super) overlap: f64,
    /// Dimensions of space: 2 (disks) or 3 (spheres)
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(super) dimension: u8,
    /// Young's modulus, Pa: gives Hertz's law, with as soft a modulus as `--overlap` lets
    #[arg(long, value_name = "PA", allow_negative_numbers = true)]
    pub(super) young: Option<f64>,
    /// Poisson's ratio
    #[arg(
        long,
        value_name = "NU",
        default_value_t = 0.25,
        allow_negative_numbers = true
    )]
    pub(super) poisson: f64,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct NewArgs {
    /// Name of an embedded scenario
    pub(super) name: String,
    /// The file to write, `-` for standard output [default: NAME.toml]
    pub(super) file: Option<PathBuf>,
    /// Replace the file if it is there
    #[arg(long)]
    pub(super) force: bool,
}

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// Folder of a run
    pub(super) dir: PathBuf,
    /// The format
    #[arg(long, value_name = "FORMAT")]
    pub(super) to: ExportTo,
    /// Folder to write into [default: DIR/export]
    #[arg(short, long, value_name = "OUT")]
    pub(super) out: Option<PathBuf>,
    /// Of a picture or fields: the snapshot nearest to this time, s [default: a picture shows a discharge
    /// in full flow, any other run at its end; of fields all]
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = moment)]
    pub(super) time: Option<f64>,
    /// What a picture shows
    #[arg(long, value_name = "WHAT", default_value = "grains")]
    pub(super) show: Show,
    /// Of a GIF: snapshots shown in a second [default: 20]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = size)]
    pub(super) fps: Option<f64>,
    /// Of a GIF: its width, px [default: what fits into 480 x 640]
    #[arg(long, value_name = "PX", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(64..=4096))]
    pub(super) width: Option<u32>,
    /// Of fields: width of the kernel, half of its reach, m [default: the mean diameter of the grains]
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = size)]
    pub(super) kernel: Option<f64>,
    /// Of fields: side of a cell at most, m [default: half of the kernel's width]
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = size)]
    pub(super) cell: Option<f64>,
}

/// What of a run a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Show {
    /// The grains of one snapshot with their forces
    Grains,
    /// How much of the time each place stands still (a run with log.stagnant)
    Stagnant,
}

/// A format of another program.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ExportTo {
    /// ParaView
    Vtk,
    /// OVITO: extended XYZ
    Xyz,
    /// Spreadsheets
    Csv,
    /// LAMMPS data file
    Lammps,
    /// Nodes of the hierarchy: system, clusters, groups at rest of each snapshot
    Nodes,
    /// A picture with the contact forces
    Png,
    /// The same picture as lines
    Svg,
    /// The pictures of all snapshots, animated
    Gif,
    /// Coarse-grained density, velocity and stress on a grid: tables and ParaView
    Fields,
}

#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// Folder of a run that has ended, or of a sweep
    pub(super) dir: PathBuf,
    /// The page to write [default: DIR/report.html]
    #[arg(short, long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// Write each plot as SVG and the table behind it as CSV into this folder, and no page
    #[arg(long, value_name = "FOLDER", conflicts_with = "out")]
    pub(super) plots: Option<PathBuf>,
    /// Size of the animation at most, MB; where it would be larger, snapshots are left out [default: 28]
    #[arg(long, value_name = "MB", allow_negative_numbers = true, value_parser = size)]
    pub(super) max_size: Option<f64>,
}

#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// Folders of finished runs; the first is what the others are measured against
    #[arg(required = true, num_args = 2.., value_name = "DIR")]
    pub(super) dirs: Vec<PathBuf>,
    /// Write a page with the curves over each other and the tables into this file (.html)
    #[arg(short, long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Draw the curves of discharge and energy and the distributions of forces into this file
    /// (.svg or .png)
    #[arg(long, value_name = "FILE", value_parser = drawing)]
    pub(super) plot: Option<PathBuf>,
    /// Means over seeds that differ by less count as equal: a share of the first
    #[arg(long, value_name = "SHARE", default_value_t = 0.03, value_parser = share)]
    pub(super) margin: f64,
}

#[derive(Debug, Args)]
pub(super) struct ConvergeArgs {
    #[command(flatten)]
    pub(super) source: ScenarioArgs,
    /// How often the step is halved; each halving doubles the time on the clock
    #[arg(long, value_name = "N", default_value_t = 5, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(2..=20))]
    pub(super) halvings: u32,
    /// Times at which states are compared, at equal intervals
    #[arg(long, value_name = "N", default_value_t = 20, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) times: u32,
    /// Only times from this on count for the orders, s
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = moment)]
    pub(super) from: Option<f64>,
    /// Only times up to this count for the orders, s [default: the end]
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = moment)]
    pub(super) to: Option<f64>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Draw errors against step and time into this file (.svg or .png)
    #[arg(long, value_name = "FILE", value_parser = drawing)]
    pub(super) plot: Option<PathBuf>,
    /// Say nothing unless something is wrong
    #[arg(short, long)]
    pub(super) quiet: bool,
}

#[derive(Debug, Args)]
pub(super) struct SweepArgs {
    /// A sweep file, or the name of an embedded sweep (see `arenite list`)
    pub(super) file: String,
    /// Folder of the sweep [default: runs/sweep-<name>]
    #[arg(short, long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Only part I of N; the parts need no server and may run at the same time
    #[arg(long, value_name = "I/N")]
    pub(super) shard: Option<crate::sweep::Shard>,
    /// Run nothing: one table of what the parts have done
    #[arg(long, conflicts_with_all = ["shard", "check", "retry", "keep"])]
    pub(super) merge: bool,
    /// Run nothing: tell what would run, and how long it takes at most
    #[arg(long)]
    pub(super) check: bool,
    /// Runs at the same time [default: one a core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) threads: Option<u16>,
    /// Set a value of the scenario for all runs, as in run.end_time=2
    #[arg(long, value_name = "KEY.PATH=VALUE", value_parser = crate::scenario::Override::set)]
    pub(super) set: Vec<crate::scenario::Override>,
    /// What is kept of each run made now [default: what the file says, else summary]
    #[arg(long, value_name = "WHAT")]
    pub(super) keep: Option<KeepArg>,
    /// Try again what failed, and go on with what reached its limit of time
    #[arg(long)]
    pub(super) retry: bool,
    /// Draw figures and the share of jams against the first parameter (.svg or .png)
    #[arg(long, value_name = "FILE", value_parser = drawing)]
    pub(super) plot: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Say nothing unless something is wrong
    #[arg(short, long)]
    pub(super) quiet: bool,
}

/// What a sweep keeps of each run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum KeepArg {
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
pub(super) struct GrainArgs {
    /// An STL file, a list of spheres, disks or arcs (TOML or JSON), or the name of an embedded shape
    #[arg(required_unless_present_any = ["list", "random"], conflicts_with_all = ["list", "random"])]
    pub(super) source: Option<String>,
    /// Show the embedded shapes
    #[arg(long, conflicts_with = "random")]
    pub(super) list: bool,
    /// Make a clump of so many spheres at random, the largest possible radius 1
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) random: Option<u32>,
    /// With --random: disks instead of spheres
    #[arg(long, requires = "random")]
    pub(super) planar: bool,
    /// Of an STL: how spheres are chosen
    #[arg(long, value_name = "METHOD")]
    pub(super) method: Option<FitMethod>,
    /// Of an STL: the most spheres [default: 30; 1000 with --fidelity or --coverage]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) spheres: Option<u32>,
    /// Of an STL: as many spheres as it takes for this overlap, volume in both over volume in either
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = share)]
    pub(super) fidelity: Option<f64>,
    /// Smallest radius [default: 0.01 of the longest side; with --random a share of the largest, 0.5]
    #[arg(long, value_name = "R", allow_negative_numbers = true, value_parser = size)]
    pub(super) least: Option<f64>,
    /// How deep spheres reach into each other, over a radius [default: 0.6 inscribed, 0.5 random]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub(super) overlap: Option<f64>,
    /// ferrellec-mcdowell: points of the surface so near to a sphere are covered [default: 0.02 of the
    /// longest side]
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = size)]
    pub(super) distance: Option<f64>,
    /// ferrellec-mcdowell: share of the surface that shall be covered [default: 0.95]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub(super) coverage: Option<f64>,
    /// favier: direction of the axis [default: the longest principal axis]
    #[arg(long, value_name = "X,Y,Z", allow_negative_numbers = true, value_parser = direction)]
    pub(super) axis: Option<[f64; 3]>,
    /// inscribed: voxels along the longest side
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(2..=512))]
    pub(super) voxels: u16,
    /// Seed of what is drawn at random
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Of a list of spheres: the STL file that it is compared with
    #[arg(long, value_name = "STL", conflicts_with_all = ["list", "random"])]
    pub(super) against: Option<PathBuf>,
    /// Multiply all lengths of what is read or made, as 1e-3 for an STL in mm
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, allow_negative_numbers = true, value_parser = size)]
    pub(super) scale: f64,
    /// Density of what is written and weighed, kg/m^3 (disks and arcs: kg/m^2)
    #[arg(long, value_name = "RHO", default_value_t = 1.0, allow_negative_numbers = true, value_parser = size)]
    pub(super) density: f64,
    /// Write the shape as TOML, as `arenite calc grain` reads it; `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// With --out: write [shape.NAME] for a scenario, without the density
    #[arg(long, value_name = "NAME", requires = "out")]
    pub(super) shape: Option<String>,
    /// Replace the file of --out if it is there
    #[arg(long)]
    pub(super) force: bool,
    /// Draw the shape, and fidelity against the number of spheres (.svg or .png)
    #[arg(long, value_name = "FILE", value_parser = drawing)]
    pub(super) plot: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// How spheres are chosen that stand for a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FitMethod {
    /// The largest inscribed spheres, one after the other, by the distance transform
    Inscribed,
    /// Spheres inside, tangent at points of the surface (Ferrellec and McDowell 2010)
    FerrellecMcdowell,
    /// Spheres along an axis that reach to the surface (Favier et al. 1999)
    Favier,
}

#[derive(Debug, Args)]
pub(super) struct CalcArgs {
    /// The model
    pub(super) kind: CalcKind,
    /// A JSON or TOML file with one case or an array of cases (in TOML: [[case]]); `-` for
    /// standard input
    pub(super) file: PathBuf,
}

/// Parses the numbers of domains along each axis, such as 4x2.
fn domains(text: &str) -> Result<[usize; 3], String> {
    let mut domains = [1; 3];
    let parts: Vec<&str> = text.split('x').collect();
    if parts.len() > 3 {
        return Err(format!("`{text}` has more than three axes"));
    }
    for (domain, part) in domains.iter_mut().zip(parts) {
        let number = part.parse().ok().filter(|n| (1..=65_536).contains(n));
        *domain = number.ok_or_else(|| {
            format!("`{part}` is not a number of domains, from 1 on, as in 4x2 or 2x2x1")
        })?;
    }
    Ok(domains)
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
