//! Packs frames: whole numbers, their changes, and the bytes of these.
//!
//! A column of n numbers of w bytes is written as w planes of n bytes, the lowest first: the high planes are nearly
//! all 0, which deflate compresses well. Signed numbers are written as 0, -1, 1, -2, ...

use miniz_oxide::deflate::compress_to_vec_zlib;
use rayon::prelude::*;

use super::gather::{Constant, Frame, Frames, GrainState, LinkState, WALL};
use super::{Grade, Scale};

/// Approximate number of grains times frames in a chunk: unpacked within some 30 ms.
const CHUNK: usize = 60_000;
/// Effort of deflate, 0 to 10: beyond this the gain is a percent or two.
const EFFORT: u8 = 7;
/// Fraction of velocities, spins and forces below the greatest one drawn.
const WHOLE: f64 = 0.9995;
/// Fraction of the forces that are drawn thinner than the widest line: single impacts must not make all others
/// invisible.
const STRONG: f64 = 0.98;

/// Returns the scale, the first frame of each chunk, and the chunks, beginning with that of the constants of the
/// grains from index `from` on.
pub(super) fn pack(
    frames: &Frames,
    grade: Grade,
    from: usize,
) -> (Scale, Vec<usize>, Vec<Vec<u8>>) {
    let scale = scale(frames, grade);
    let mut starts = Vec::new();
    let mut held = usize::MAX;
    for (k, frame) in frames.frames.iter().enumerate() {
        if held >= CHUNK {
            starts.push(k);
            held = 0;
        }
        held += frame.grains.len().max(1);
    }
    let ends = starts.iter().skip(1).copied();
    let ends: Vec<usize> = ends.chain([frames.frames.len()]).collect();
    let mut chunks = vec![deflated(&constants(&frames.grains[from..]))];
    let packed: Vec<Vec<u8>> = starts
        .par_iter()
        .zip(&ends)
        .map(|(&from, &to)| {
            let mut writer = Writer::new(&scale, frames);
            for frame in &frames.frames[from..to] {
                writer.frame(frame);
            }
            deflated(&writer.bytes)
        })
        .collect();
    chunks.extend(packed);
    (scale, starts, chunks)
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec_zlib(bytes, EFFORT)
}

/// Packs number, radius, shape and layer of each grain.
fn constants(grains: &[Constant]) -> Vec<u8> {
    let mut bytes = Vec::new();
    planes(&mut bytes, 4, grains.iter().map(|g| g.id));
    planes(&mut bytes, 4, grains.iter().map(|g| g.radius.to_bits()));
    planes(&mut bytes, 2, grains.iter().map(|g| u32::from(g.shape)));
    planes(&mut bytes, 1, grains.iter().map(|g| u32::from(g.layer)));
    bytes
}

fn scale(frames: &Frames, grade: Grade) -> Scale {
    let dimensions = frames.meta.dimensions;
    let mut low = [f64::INFINITY; 3];
    let mut high = [f64::NEG_INFINITY; 3];
    for grain in frames.frames.iter().flat_map(|f| &f.grains) {
        for k in 0..dimensions {
            let x = f64::from(grain.position[k]);
            if x.is_finite() {
                (low[k], high[k]) = (low[k].min(x), high[k].max(x));
            }
        }
    }
    let span = (0..dimensions)
        .map(|k| high[k] - low[k])
        .filter(|s| s.is_finite())
        .fold(0.0, f64::max);
    let least = frames.grains.iter().map(|g| f64::from(g.radius));
    let least = least.filter(|r| *r > 0.0).fold(f64::INFINITY, f64::min);
    let finest = if least.is_finite() {
        least / grade.per_radius
    } else {
        1.0
    };
    // Four bytes cover any span at this step.
    let step = finest.max(span / f64::from(u32::MAX - 1));
    let bytes = |count: f64| match count {
        c if c < 256.0 => 1,
        c if c < 65_536.0 => 2,
        c if c < 16_777_216.0 => 3,
        _ => 4,
    };
    let all = || frames.frames.iter().flat_map(|f| &f.grains);
    let links = frames.frames.iter().flat_map(|f| &f.links);
    let shaped = !frames.meta.shapes.is_empty();
    Scale {
        origin: low.map(|x| if x.is_finite() { x } else { 0.0 }),
        step,
        position: bytes(span / step + 1.0),
        angle: if shaped { 2 } else { grade.angle },
        root: grade.root,
        number: bytes(frames.grains.len() as f64 + frames.meta.boundaries.len() as f64 + 1.0),
        velocity: quantile(all().flat_map(|g| g.velocity), WHOLE),
        spin: quantile(all().map(|g| g.spin), WHOLE),
        force: quantile(links.clone().map(|l| l.force), WHOLE),
        strong: quantile(links.map(|l| l.force), STRONG),
    }
}

/// Returns the size below which this fraction of the nonzero sizes lies; 1 where all are 0.
fn quantile(values: impl Iterator<Item = f32>, share: f64) -> f64 {
    let sizes = values.map(f32::abs).filter(|v| v.is_finite() && *v > 0.0);
    let mut sizes: Vec<f32> = sizes.collect();
    if sizes.is_empty() {
        return 1.0;
    }
    let place = ((sizes.len() - 1) as f64 * share).ceil() as usize;
    let (_, &mut size, _) = sizes.select_nth_unstable_by(place, f32::total_cmp);
    f64::from(size)
}

fn planes(bytes: &mut Vec<u8>, width: usize, values: impl Iterator<Item = u32> + Clone) {
    for plane in 0..width {
        bytes.extend(values.clone().map(|v| (v >> (8 * plane)) as u8));
    }
}

/// Returns the difference of two numbers of `width` bytes, which may wrap, folded to 0, -1, 1, -2, ...
fn folded(value: u32, expected: u32, width: usize) -> u32 {
    let shift = 32 - 8 * width as u32;
    let difference = (value.wrapping_sub(expected) << shift) as i32 >> shift;
    let folded = (difference << 1) ^ (difference >> 31);
    (folded as u32) << shift >> shift
}

/// Numbers of a grain that are stored by their change.
#[derive(Clone, Copy, Default)]
struct Told {
    position: [u32; 3],
    /// Change of the position since the previous frame: grains tend to keep their velocity.
    change: [u32; 3],
    seen: bool,
    velocity: [u32; 3],
    rotation: [u32; 4],
    spin: u32,
    regime: u32,
    cluster: u32,
    group: u32,
    fragment: u32,
}

struct Writer<'a> {
    scale: &'a Scale,
    dimensions: usize,
    bytes: Vec<u8>,
    indices: Vec<u32>,
    told: Vec<Told>,
    links: Vec<(LinkState, Forced)>,
}

/// Numbers of a link that are stored by their change.
#[derive(Clone, Copy, Default)]
struct Forced {
    force: u32,
    flags: u32,
    offset: [u32; 3],
}

impl<'a> Writer<'a> {
    fn new(scale: &'a Scale, frames: &Frames) -> Writer<'a> {
        Writer {
            scale,
            dimensions: frames.meta.dimensions,
            bytes: Vec::new(),
            indices: Vec::new(),
            told: vec![Told::default(); frames.grains.len()],
            links: Vec::new(),
        }
    }

    fn number(&mut self, value: usize) {
        self.bytes.extend((value as u32).to_le_bytes());
    }

    fn frame(&mut self, frame: &Frame) {
        let indices: Vec<u32> = frame.grains.iter().map(|g| g.index).collect();
        self.number(indices.len());
        let same = indices == self.indices;
        self.bytes.push(u8::from(same));
        if !same {
            let before = [0].into_iter().chain(indices.iter().copied());
            let steps = indices.iter().zip(before).map(|(i, j)| i - j);
            planes(&mut self.bytes, self.scale.number, steps);
            self.indices = indices;
        }
        self.grains(&frame.grains);
        self.links(&frame.links);
    }

    /// Returns a position as a whole number of steps from the origin.
    fn steps(&self, x: f32, axis: usize) -> u32 {
        let steps = (f64::from(x) - self.scale.origin[axis]) / self.scale.step;
        // A NaN is drawn at the origin.
        steps.round() as u32
    }

    /// Stores a value as the signed root of its ratio to the greatest value: precise where values are small.
    fn root(&self, value: f32, greatest: f64, signed: bool) -> u32 {
        let most = match (self.scale.root, signed) {
            (1, false) => 255.0,
            (1, true) => 127.0,
            (_, false) => 65_535.0,
            (_, true) => 32_767.0,
        };
        let share = (f64::from(value).abs() / greatest).min(1.0).sqrt();
        let rounded = (most * share).round() as i32;
        (if value < 0.0 { -rounded } else { rounded }) as u32
    }

    fn angles(&self, g: &GrainState) -> [u32; 4] {
        if self.dimensions == 3 {
            return g.rotation.map(|q| (127.0 * q).round() as i32 as u32);
        }
        let whole = f64::from(1u32 << (8 * self.scale.angle as u32));
        let turns = f64::from(g.rotation[0]) / std::f64::consts::TAU;
        let steps = ((turns - turns.floor()) * whole).round() as u32;
        [steps, 0, 0, 0]
    }

    fn grains(&mut self, grains: &[GrainState]) {
        let now: Vec<Told> = grains
            .iter()
            .map(|g| {
                let before = &self.told[g.index as usize];
                let position: [u32; 3] = std::array::from_fn(|k| self.steps(g.position[k], k));
                let change = std::array::from_fn(|k| match before.seen {
                    true => position[k].wrapping_sub(before.position[k]),
                    false => 0,
                });
                Told {
                    position,
                    change,
                    seen: true,
                    velocity: g.velocity.map(|v| self.root(v, self.scale.velocity, true)),
                    rotation: self.angles(g),
                    spin: self.root(g.spin, self.scale.spin, true),
                    regime: u32::from(g.regime),
                    cluster: g.cluster,
                    group: g.group,
                    fragment: g.fragment,
                }
            })
            .collect();
        let before: Vec<Told> = grains.iter().map(|g| self.told[g.index as usize]).collect();
        let (d, scale) = (self.dimensions, self.scale);
        let mut column =
            |width: usize, of: &dyn Fn(&Told) -> u32, expected: &dyn Fn(&Told) -> u32| {
                let both = now.iter().zip(&before);
                let steps = both.map(|(n, b)| folded(of(n), expected(b), width));
                let steps: Vec<u32> = steps.collect();
                planes(&mut self.bytes, width, steps.iter().copied());
            };
        for k in 0..d {
            column(scale.position, &|t| t.position[k], &|t| {
                t.position[k].wrapping_add(t.change[k])
            });
        }
        for k in 0..d {
            column(scale.root, &|t| t.velocity[k], &|t| t.velocity[k]);
        }
        let (parts, width) = if d == 2 { (1, scale.angle) } else { (4, 1) };
        for k in 0..parts {
            column(width, &|t| t.rotation[k], &|t| t.rotation[k]);
        }
        column(scale.root, &|t| t.spin, &|t| t.spin);
        column(1, &|t| t.regime, &|t| t.regime);
        column(scale.number, &|t| t.cluster, &|t| t.cluster);
        column(scale.number, &|t| t.group, &|t| t.group);
        column(scale.number, &|t| t.fragment, &|t| t.fragment);
        for (grain, now) in grains.iter().zip(now) {
            self.told[grain.index as usize] = now;
        }
    }

    /// Packs which links of the previous frame are gone, which are new, and the values of all.
    fn links(&mut self, links: &[LinkState]) {
        let before = std::mem::take(&mut self.links);
        let mut kept: Vec<(LinkState, Forced)> = Vec::with_capacity(links.len());
        let find = |l: &LinkState| {
            let place = links.binary_search_by_key(&(l.a, l.b), |l| (l.a, l.b));
            place.ok()
        };
        let mut there = vec![false; links.len()];
        let mut gone = Vec::with_capacity(before.len());
        for (link, told) in &before {
            let place = find(link);
            gone.push(u32::from(place.is_none()));
            if let Some(place) = place {
                there[place] = true;
                kept.push((links[place], *told));
            }
        }
        let came = || links.iter().zip(&there).filter(|(_, there)| !**there);
        let added: Vec<LinkState> = came().map(|(link, _)| *link).collect();
        self.number(added.len());
        planes(&mut self.bytes, 1, gone.iter().copied());
        let grains = self.told.len() as u32;
        let code = |b: u32| {
            if b & WALL == 0 {
                b
            } else {
                grains + (b & !WALL)
            }
        };
        let width = self.scale.number;
        let starts = [0].into_iter().chain(added.iter().map(|l| l.a));
        let steps = added.iter().zip(starts).map(|(l, start)| l.a - start);
        planes(&mut self.bytes, width, steps);
        let steps = added.iter().map(|l| folded(code(l.b), l.a, width));
        planes(&mut self.bytes, width, steps);
        kept.extend(added.into_iter().map(|link| (link, Forced::default())));
        let now: Vec<Forced> = kept
            .iter()
            .map(|(l, _)| Forced {
                force: self.root(l.force, self.scale.force, false),
                flags: u32::from(l.flags),
                // Contacts lie within 1.25 radii of the centre.
                offset: l
                    .offset
                    .map(|x| (x.clamp(-1.25, 1.25) * 100.0).round() as i32 as u32),
            })
            .collect();
        let mut column = |width: usize, walls: bool, of: &dyn Fn(&Forced) -> u32| {
            let both = now.iter().zip(&kept);
            let steps: Vec<u32> = both
                .filter(|(_, (l, _))| !walls || l.b & WALL != 0)
                .map(|(now, (_, told))| folded(of(now), of(told), width))
                .collect();
            planes(&mut self.bytes, width, steps.iter().copied());
        };
        column(self.scale.root, false, &|f| f.force);
        column(1, false, &|f| f.flags);
        for k in 0..self.dimensions {
            column(1, true, &|f| f.offset[k]);
        }
        self.links = kept
            .into_iter()
            .zip(now)
            .map(|((link, _), told)| (link, told))
            .collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_differences_of_either_sign_are_small_numbers() {
        assert_eq!(folded(7, 7, 1), 0);
        assert_eq!(folded(6, 7, 1), 1);
        assert_eq!(folded(8, 7, 2), 2);
        // Around the wrap of a byte.
        assert_eq!(folded(1, 255, 1), 4);
        assert_eq!(folded(255, 1, 1), 3);
        assert_eq!(folded(u32::MAX, 0, 4), 1);
    }
}
