//! At most 255 colours for a whole animation, chosen by median cut (Heckbert 1982).

/// Index that leaves a pixel unchanged.
pub(super) const TRANSPARENT: u8 = 255;
/// Bits per channel that distinguish colours.
const FINE: u32 = 5;

fn class(pixel: &[u8]) -> usize {
    let channel = |k: usize| usize::from(pixel[k] >> (8 - FINE));
    channel(0) << (2 * FINE) | channel(1) << FINE | channel(2)
}

/// Frequencies of colours.
pub(super) struct Histogram {
    /// For each class of similar colours the number of pixels and the sums of their channels.
    classes: Vec<[u64; 4]>,
}

impl Histogram {
    pub(super) fn new() -> Histogram {
        Histogram {
            classes: vec![[0; 4]; 1 << (3 * FINE)],
        }
    }

    /// Counts the pixels of a frame (red, green, blue, opacity).
    pub(super) fn add(&mut self, pixels: &[u8]) {
        for pixel in pixels.chunks_exact(4) {
            let sums = &mut self.classes[class(pixel)];
            sums[0] += 1;
            for k in 0..3 {
                sums[k + 1] += u64::from(pixel[k]);
            }
        }
    }
}

/// The chosen colours, and the nearest of them for each class.
pub(super) struct Palette {
    colours: Vec<[u8; 3]>,
    nearest: Vec<Option<u8>>,
}

impl Palette {
    pub(super) fn new(histogram: &Histogram) -> Palette {
        let mut all = Vec::new();
        for sums in histogram.classes.iter().filter(|s| s[0] > 0) {
            let mean = |k: usize| (sums[k] / sums[0]) as u8;
            all.push(([mean(1), mean(2), mean(3)], sums[0]));
        }
        let mut boxes = vec![all];
        while boxes.len() < usize::from(TRANSPARENT) {
            // Cuts where the loss is greatest: the longest side, weighted by the square root of the frequency.
            let loss = |colours: &Vec<([u8; 3], u64)>| {
                let seen: u64 = colours.iter().map(|c| c.1).sum();
                f64::from(longest(colours).1) * (seen as f64).sqrt()
            };
            let worst =
                (0..boxes.len()).max_by(|&a, &b| loss(&boxes[a]).total_cmp(&loss(&boxes[b])));
            let Some(worst) = worst.filter(|&k| longest(&boxes[k]).1 > 0) else {
                break;
            };
            let mut colours = boxes.swap_remove(worst);
            let (axis, _) = longest(&colours);
            colours.sort_by_key(|c| (c.0[axis], c.0));
            let half: u64 = colours.iter().map(|c| c.1).sum::<u64>() / 2;
            let mut sum = 0;
            let cut = colours.iter().position(|c| {
                sum += c.1;
                sum > half
            });
            // Both parts are non-empty.
            let cut = cut.unwrap_or(0).clamp(1, colours.len() - 1);
            let upper = colours.split_off(cut);
            boxes.extend([colours, upper]);
        }
        let mean = |colours: &Vec<([u8; 3], u64)>| {
            let seen: u64 = colours.iter().map(|c| c.1).sum::<u64>().max(1);
            let sum = |k: usize| colours.iter().map(|c| u64::from(c.0[k]) * c.1).sum::<u64>();
            [0, 1, 2].map(|k| ((sum(k) + seen / 2) / seen) as u8)
        };
        Palette {
            colours: boxes.iter().map(mean).collect(),
            nearest: vec![None; 1 << (3 * FINE)],
        }
    }

    /// Returns all 256 entries.
    pub(super) fn colours(&self) -> impl Iterator<Item = [u8; 3]> {
        let rest = std::iter::repeat([0; 3]);
        self.colours.iter().copied().chain(rest).take(256)
    }

    /// Returns the entry nearest to a pixel.
    pub(super) fn index(&mut self, pixel: &[u8]) -> u8 {
        let class = class(pixel);
        if let Some(known) = self.nearest[class] {
            return known;
        }
        let far = |colour: &[u8; 3]| -> i32 {
            let off = |k: usize| i32::from(colour[k]) - i32::from(pixel[k]);
            (0..3).map(|k| off(k) * off(k)).sum()
        };
        let best = (0..self.colours.len()).min_by_key(|&k| far(&self.colours[k]));
        let best = best.unwrap_or(0) as u8;
        self.nearest[class] = Some(best);
        best
    }
}

/// Returns the channel with the greatest range of values, and that range.
fn longest(colours: &[([u8; 3], u64)]) -> (usize, u8) {
    let spread = |k: usize| {
        let values = colours.iter().map(|c| c.0[k]);
        values.clone().max().unwrap_or(0) - values.min().unwrap_or(0)
    };
    let mut best = (0, spread(0));
    for k in 1..3 {
        if spread(k) > best.1 {
            best = (k, spread(k));
        }
    }
    best
}
