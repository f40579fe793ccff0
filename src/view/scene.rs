//! Draws a snapshot: walls, grains, contact forces and a caption.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::camera::{Camera, Extent, Frame};
use super::colour::{Layers, of_regime};
use super::moving::Movers;
use super::picture::{Colour, Picture, Shape};
use crate::event::Regime;
use crate::record::read::{self, Snapshot, Snapshots};
use crate::record::{BodyRef, RecordError, RunMeta};

/// Meaning of the colours of grains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colouring {
    /// Layers by initial height, like dyed sand; regimes if any grain is at rest.
    #[default]
    Layers,
    /// Regimes.
    Regime,
}

/// Options of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PictureOptions {
    /// Show the snapshot nearest to this time, s; none: the last one with at least half the greatest number of
    /// grains, which shows a discharge in full flow and any other run at its end.
    pub time: Option<f64>,
    /// Colours of the grains.
    pub colouring: Colouring,
    /// Subject of the picture.
    pub subject: Subject,
    /// For an animation: snapshots shown per second; none: 20.
    pub rate: Option<f64>,
    /// For an animation: its width, px; none: the width that fits into 480 by 640.
    pub width: Option<u32>,
}

/// Subject of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Subject {
    /// The grains of one snapshot with their forces.
    #[default]
    Grains,
    /// The fraction of time for which each place is stagnant, and the mean motion of grains there.
    Stagnant,
}

pub(super) const BACKGROUND: Colour = Colour::new(0xfdfcf9);
pub(super) const WALL: Colour = Colour::new(0x3a3f45);
const FORCE: Colour = Colour::new(0x14171a);
/// Colour of a link that slid, in packings in equilibrium.
const SLID: Colour = Colour::new(0xe5007d);
/// Least width of the line of a link that slid, px: weak ones must be visible too.
const SLID_LEAST: f64 = 1.6;
pub(super) const INK: Colour = Colour::new(0x3a3f45);
/// Largest drawing, px.
pub(super) const WIDTH: f64 = 760.0;
pub(super) const HEIGHT: f64 = 860.0;
pub(super) const MARGIN: f64 = 16.0;
/// Height of the caption, px.
pub(super) const CAPTION: f64 = 58.0;
/// Heaps of more grains in space are cut open: from outside neither layers nor forces are visible.
const CUT_ABOVE: usize = 200;
/// Least width of a picture, px, so that captions fit.
pub(super) const LEAST: f64 = 360.0;
/// Height of a digit, px.
pub(super) const TEXT: f32 = 10.0;

/// Returns the picture of a run.
pub fn picture(dir: &Path, options: &PictureOptions) -> Result<Picture, RecordError> {
    if options.subject == Subject::Stagnant {
        return super::zones::stagnant(dir);
    }
    let mut reader = Snapshots::open(dir)?;
    let up = reader.meta.dimensions - 1;
    let mut counts: Vec<(u64, f64, usize)> = Vec::new();
    let mut heights: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    while let Some(s) = reader.next_snapshot()? {
        // Layers are those of the bed at the start: the last snapshot of the settling, if any.
        if counts.is_empty() || s.time <= 0.0 {
            heights = s
                .grains
                .iter()
                .map(|g| (g.grain, (g.position[up], g.radius)))
                .collect();
        }
        counts.push((s.number, s.time, s.grains.len()));
    }
    let chosen = chosen(&counts, options.time).ok_or_else(|| RecordError::Damaged {
        path: dir.display().to_string(),
        what: nothing_to_draw(dir).into(),
    })?;
    let mut reader = Snapshots::open(dir)?;
    let mut shown = Snapshot::default();
    while let Some(snapshot) = reader.next_snapshot()? {
        if snapshot.number == chosen {
            shown = snapshot;
            break;
        }
    }
    let layers = Layers::new(heights.into_iter().map(|(id, (height, r))| (id, height, r)));
    Ok(compose(
        &Movers::read(dir)?.moved(&reader.meta, shown.time),
        &shown,
        &layers,
        options.colouring,
        None,
    ))
}

/// The pictures of a run's snapshots, all of one size; of too many only every second, third, ...
pub(super) struct Strip {
    dir: PathBuf,
    meta: RunMeta,
    movers: Movers,
    layers: Layers,
    whole: Extent,
    reader: Snapshots,
    next: u64,
    every: usize,
    /// Number of pictures.
    pub(super) count: usize,
}

impl Strip {
    /// Opens at most `most` pictures of a run.
    pub(super) fn open(dir: &Path, most: usize) -> Result<Strip, RecordError> {
        let mut reader = Snapshots::open(dir)?;
        let meta = reader.meta.clone();
        let (up, camera) = (meta.dimensions - 1, Camera::new(meta.dimensions));
        let (mut held, mut recorded, mut heights) = (Extent::NONE, 0usize, Vec::new());
        while let Some(s) = reader.next_snapshot()? {
            if recorded == 0 || s.time <= 0.0 {
                let height = |g: &crate::record::GrainRow| (g.grain, g.position[up], g.radius);
                heights = s.grains.iter().map(height).collect();
            }
            for grain in &s.grains {
                held.hold(camera.across(grain.position), grain.radius);
            }
            recorded += 1;
        }
        if recorded == 0 {
            return Err(RecordError::Damaged {
                path: dir.display().to_string(),
                what: nothing_to_draw(dir).into(),
            });
        }
        let mut around = Extent::NONE;
        let walls = meta.walls.iter().filter(|wall| !wall.endless);
        for point in walls.flat_map(|wall| &wall.points) {
            around.hold(camera.across(*point), 0.0);
        }
        let every = recorded.div_ceil(most.max(1));
        Ok(Strip {
            dir: dir.to_path_buf(),
            movers: Movers::read(dir)?,
            whole: Extent::joined(held, around),
            layers: Layers::new(heights),
            reader: Snapshots::open(dir)?,
            next: 0,
            every,
            count: recorded.div_ceil(every),
            meta,
        })
    }

    /// Returns a picture by index; going back reopens the records.
    pub(super) fn picture(&mut self, place: usize) -> Result<Option<Picture>, RecordError> {
        let wanted = (place * self.every) as u64;
        if wanted < self.next {
            self.reader = Snapshots::open(&self.dir)?;
            self.next = 0;
        }
        while let Some(s) = self.reader.next_snapshot()? {
            self.next += 1;
            if self.next > wanted {
                let whole = Some(self.whole);
                return Ok(Some(compose(
                    &self.movers.moved(&self.meta, s.time),
                    &s,
                    &self.layers,
                    Colouring::Layers,
                    whole,
                )));
            }
        }
        Ok(None)
    }
}

/// Returns the picture of one snapshot; the layers come from its own heights.
pub fn draw(meta: &RunMeta, snapshot: &Snapshot, colouring: Colouring) -> Picture {
    let up = meta.dimensions - 1;
    let layers = Layers::new(
        snapshot
            .grains
            .iter()
            .map(|g| (g.grain, g.position[up], g.radius)),
    );
    compose(meta, snapshot, &layers, colouring, None)
}

/// `1 grain`, `2 grains`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Returns the number of the snapshot to draw, from (number, time, grains).
fn chosen(counts: &[(u64, f64, usize)], time: Option<f64>) -> Option<u64> {
    if let Some(time) = time {
        let nearer = |a: &&(u64, f64, usize), b: &&(u64, f64, usize)| {
            (a.1 - time).abs().total_cmp(&(b.1 - time).abs())
        };
        return counts.iter().min_by(nearer).map(|c| c.0);
    }
    let most = counts.iter().map(|c| c.2).max()?;
    counts.iter().rev().find(|c| 2 * c.2 >= most).map(|c| c.0)
}

/// Explains why a run has no snapshot with grains.
fn nothing_to_draw(dir: &Path) -> &'static str {
    let stopped = read::summary(dir).is_ok_and(|s| s.time.simulated < 0.0);
    if stopped {
        "the run was stopped while its grains settled, and snapshots begin at time 0: there is \
         nothing to draw yet; go on with `arenite run` and --resume"
    } else {
        "holds no snapshot with grains to draw"
    }
}

/// Returns the part of the infinite line through two points that lies in the picture, which begins at (0, 0); none if
/// it misses the picture.
pub(super) fn from_side_to_side(a: [f32; 2], b: [f32; 2], size: [f32; 2]) -> Vec<[f32; 2]> {
    let along = [b[0] - a[0], b[1] - a[1]];
    let (mut first, mut last) = (f32::NEG_INFINITY, f32::INFINITY);
    for k in 0..2 {
        if along[k] != 0.0 {
            let (s, t) = (-a[k] / along[k], (size[k] - a[k]) / along[k]);
            first = first.max(s.min(t));
            last = last.min(s.max(t));
        } else if a[k] < 0.0 || a[k] > size[k] {
            return Vec::new();
        }
    }
    if first >= last {
        return Vec::new();
    }
    let at = |t: f32| [a[0] + t * along[0], a[1] + t * along[1]];
    vec![at(first), at(last)]
}

/// Returns the picture of a snapshot. If it is one of several, it has a given extent and keeps the given colouring.
fn compose(
    meta: &RunMeta,
    s: &Snapshot,
    layers: &Layers,
    colouring: Colouring,
    whole: Option<Extent>,
) -> Picture {
    let camera = Camera::new(meta.dimensions);
    let space = meta.dimensions == 3;
    // If grains are at rest, the picture distinguishes them from the others.
    let of = |regime: Regime| s.grains.iter().any(|g| g.regime == regime);
    let moving = of(Regime::Flight) || of(Regime::Cluster);
    let still = of(Regime::Rest) || (of(Regime::Rigid) && moving);
    let colouring = match whole {
        None if still => Colouring::Regime,
        _ => colouring,
    };
    let walls: Vec<_> = meta
        .walls
        .iter()
        .filter(|wall| wall.opens_at.is_none_or(|opens| s.time < opens))
        .collect();
    let mut held = Extent::NONE;
    for grain in &s.grains {
        held.hold(camera.across(grain.position), grain.radius);
    }
    let mut around = Extent::NONE;
    for point in walls.iter().flat_map(|wall| &wall.points) {
        around.hold(camera.across(*point), 0.0);
    }
    let mut extent = whole.unwrap_or_else(|| Extent::joined(held, around));
    if extent.is_none() {
        extent.hold([0.0, 0.0], 1.0);
    }
    let frame = Frame::fit(extent, WIDTH, HEIGHT, MARGIN);
    let [width, height] = frame.size();
    let mut shapes = Vec::new();
    for wall in &walls {
        let mut points: Vec<_> = wall
            .points
            .iter()
            .map(|&p| frame.place(camera.across(p)))
            .collect();
        if let (true, &[a, b]) = (wall.endless, points.as_slice()) {
            points = from_side_to_side(a, b, [width as f32, height as f32]);
        }
        shapes.push(Shape::Line {
            points,
            closed: wall.closed,
            width: if space { 1.0 } else { 3.0 },
            stroke: WALL.with_opacity(if space { 0.45 } else { 1.0 }),
        });
    }
    let cut = Cut::new(s, space && s.grains.len() > CUT_ABOVE);
    let mut order: Vec<_> = s
        .grains
        .iter()
        .filter(|g| cut.depth(&camera, g.position) >= 0.0)
        .collect();
    order.sort_by(|a, b| {
        let near = |g: &crate::record::GrainRow| camera.nearness(g.position);
        near(a).total_cmp(&near(b)).then(a.grain.cmp(&b.grain))
    });
    // If slides are marked, so is the grain that caused them (thesis Fig. 4.8).
    let last = s.grains.iter().map(|g| g.grain).max();
    let last = last.filter(|_| shows_slides(s));
    for grain in order {
        let fill = match colouring {
            _ if last == Some(grain.grain) => INK,
            Colouring::Layers => layers.colour(grain.grain),
            Colouring::Regime => of_regime(grain.regime),
        };
        super::grains::draw(meta, grain, fill, &camera, &frame, &mut shapes);
    }
    let force = force_lines(s, &camera, &frame, &cut, &mut shapes);
    let mut picture = Picture {
        width: width.max(LEAST) as f32,
        height: (height + CAPTION) as f32,
        background: BACKGROUND,
        title: format!("{} at {:.3} s", counted(s.grains.len(), "grain"), s.time),
        shapes,
    };
    if cut.middle.is_some() {
        picture.title += ", cut open";
    }
    caption(&mut picture, s, height as f32, force, colouring);
    picture
}

/// Draws lines along the contacts, with a width proportional to the normal force; returns the width and the force of
/// the legend.
fn force_lines(
    s: &Snapshot,
    camera: &Camera,
    frame: &Frame,
    cut: &Cut,
    shapes: &mut Vec<Shape>,
) -> Option<(f32, f64)> {
    let mut forces: Vec<f64> = s
        .links
        .iter()
        .map(|l| l.normal_force)
        .filter(|f| *f > 0.0 && f.is_finite())
        .collect();
    if forces.is_empty() || s.grains.is_empty() {
        return None;
    }
    forces.sort_by(f64::total_cmp);
    // A single impact must not make all other lines invisible: the strongest percent is cut.
    let strong = forces[(forces.len() - 1) * 99 / 100];
    let radius = s.grains.iter().map(|g| g.radius).sum::<f64>() / s.grains.len() as f64;
    let thickest = (0.9 * radius * frame.scale).clamp(1.5, 9.0);
    let grains: BTreeMap<u32, ([f64; 3], f64)> = s
        .grains
        .iter()
        .map(|g| (g.grain, (g.position, g.radius)))
        .collect();
    let quasi_static = shows_slides(s);
    let end = |body: BodyRef, otherwise: [f64; 3]| match body {
        BodyRef::Grain(id) => grains.get(&id).copied().unwrap_or((otherwise, 0.0)),
        _ => (otherwise, 0.0),
    };
    for link in s
        .links
        .iter()
        .filter(|l| l.normal_force > 0.0 && l.normal_force.is_finite())
    {
        let slid = quasi_static && link.slipping;
        let mut width = (link.normal_force / strong).min(1.0) * thickest;
        if slid {
            width = width.max(SLID_LEAST);
        }
        // Too faint to be visible, or hidden behind the grains of the cut.
        if width < 0.12 || !(0.0..=2.5 * radius).contains(&cut.depth(camera, link.point)) {
            continue;
        }
        let ends = [
            (end(link.body_a, link.point), 1.0),
            (end(link.body_b, link.point), -1.0),
        ];
        let near = |(x, r): ([f64; 3], f64)| distance(x, link.point) <= 1.5 * r;
        let lines = if ends.iter().all(|(end, _)| near(*end)) {
            vec![ends.map(|((x, _), _)| x)]
        } else {
            // Across a periodic border each grain draws its own half.
            let half = |((x, r), sign): (([f64; 3], f64), f64)| match near((x, r)) {
                true => [x, link.point],
                false => [x, std::array::from_fn(|k| x[k] + sign * r * link.normal[k])],
            };
            ends.map(half).to_vec()
        };
        for line in lines {
            if distance(line[0], line[1]) > 0.0 {
                shapes.push(Shape::Line {
                    points: line.map(|x| frame.place(camera.across(x))).to_vec(),
                    closed: false,
                    width: width as f32,
                    stroke: if slid { SLID } else { FORCE }.with_opacity(0.78),
                });
            }
        }
    }
    Some((thickest as f32, strong))
}

/// Whether links that slid are marked: in a packing in equilibrium they are the slides that the last grain caused. In
/// a flow nearly all links slide.
fn shows_slides(s: &Snapshot) -> bool {
    !s.grains.is_empty() && s.grains.iter().all(|g| g.regime == Regime::Rigid)
}

/// The vertical plane in which a heap in space is cut open, through the mean position of its grains.
struct Cut {
    middle: Option<[f64; 3]>,
}

impl Cut {
    fn new(s: &Snapshot, wanted: bool) -> Cut {
        let mean =
            |k: usize| s.grains.iter().map(|g| g.position[k]).sum::<f64>() / s.grains.len() as f64;
        Cut {
            middle: wanted.then(|| [0, 1, 2].map(mean)),
        }
    }

    /// Returns the distance of a point behind the plane, m; 0 if nothing is cut.
    fn depth(&self, camera: &Camera, point: [f64; 3]) -> f64 {
        self.middle
            .map_or(0.0, |middle| -camera.before(middle, point))
    }
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let square = |k: usize| (a[k] - b[k]) * (a[k] - b[k]);
    (square(0) + square(1) + square(2)).sqrt()
}

/// Draws time, counts and legends below the drawing.
fn caption(
    picture: &mut Picture,
    s: &Snapshot,
    top: f32,
    force: Option<(f32, f64)>,
    colouring: Colouring,
) {
    let left = MARGIN as f32;
    let picture_cut = picture.title.ends_with("cut open");
    let mut write = |at: [f32; 2], text: String| {
        picture.shapes.push(Shape::Text {
            at,
            size: TEXT,
            text,
            fill: INK,
        });
    };
    let (first, second) = (top + 14.0, top + 40.0);
    let line = format!(
        "t = {:.3} s   {}   {}",
        s.time,
        counted(s.grains.len(), "grain"),
        counted(s.links.len(), "link")
    );
    write(
        [left, first],
        line + if picture_cut { "   cut open" } else { "" },
    );
    let mut x = left;
    if let Some((width, newtons)) = force {
        write([x + 42.0, second], format!("{} N", short(newtons)));
        let y = second - 0.5 * TEXT;
        picture.shapes.push(Shape::Line {
            points: vec![[x + 4.0, y], [x + 28.0, y]],
            closed: false,
            width,
            stroke: FORCE.with_opacity(0.78),
        });
        x += 120.0;
        let slid = s.links.iter().filter(|link| link.slipping).count();
        if shows_slides(s) && slid > 0 {
            picture.shapes.push(Shape::Text {
                at: [x + 42.0, second],
                size: TEXT,
                text: format!("{slid} slid"),
                fill: INK,
            });
            picture.shapes.push(Shape::Line {
                points: vec![[x + 4.0, y], [x + 28.0, y]],
                closed: false,
                width: 4.0,
                stroke: SLID.with_opacity(0.78),
            });
            x += 120.0;
        }
    }
    if colouring == Colouring::Regime {
        for regime in [Regime::Flight, Regime::Cluster, Regime::Rest, Regime::Rigid] {
            if !s.grains.iter().any(|g| g.regime == regime) {
                continue;
            }
            picture.shapes.push(Shape::Disk {
                centre: [x + 6.0, second - 0.5 * TEXT],
                radius: 6.0,
                fill: of_regime(regime),
                ball: false,
            });
            picture.shapes.push(Shape::Text {
                at: [x + 18.0, second],
                size: TEXT,
                text: regime.name().into(),
                fill: INK,
            });
            x += 80.0;
        }
    }
}

/// Formats a number with two significant digits.
pub(super) fn short(value: f64) -> String {
    if !(0.01..1000.0).contains(&value) {
        return format!("{value:.1e}");
    }
    let digits = (1.0 - libm::log10(value).floor()).max(0.0) as usize;
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_discharge_is_shown_in_flow_and_a_pile_at_its_end() {
        let flow = [(0, 0.0, 100), (1, 1.0, 60), (2, 2.0, 40), (3, 3.0, 1)];
        assert_eq!(chosen(&flow, None), Some(1));
        assert_eq!(chosen(&flow, Some(2.2)), Some(2));
        let pile = [(0, 0.0, 100), (1, 1.0, 100)];
        assert_eq!(chosen(&pile, None), Some(1));
        assert_eq!(chosen(&[], None), None);
    }

    #[test]
    fn an_endless_line_goes_from_side_to_side() {
        let size = [100.0, 50.0];
        let across = from_side_to_side([40.0, 20.0], [60.0, 20.0], size);
        assert_eq!(across, [[0.0, 20.0], [100.0, 20.0]]);
        let steep = from_side_to_side([40.0, 20.0], [45.0, 30.0], size);
        assert_eq!(steep, [[30.0, 0.0], [55.0, 50.0]]);
        let nothing = from_side_to_side([40.0, -1.0], [60.0, -1.0], size);
        assert!(nothing.is_empty());
    }

    #[test]
    fn numbers_are_short() {
        let texts = [0.0123, 0.5, 4.26, 42.4, 512.3, 1234.0, 1e-5].map(short);
        assert_eq!(
            texts,
            ["0.012", "0.50", "4.3", "42", "512", "1.2e3", "1.0e-5"]
        );
    }
}
