//! Animations of a run as GIF (version 89a): one palette for all frames; each frame contains only the rectangle that
//! changed, with unchanged pixels transparent.

mod lzw;
mod palette;

use tiny_skia::Pixmap;

use palette::{Histogram, Palette};

/// Number of frames from which the palette is chosen.
const LOOKED_AT: usize = 24;
/// Duration of the last frame, hundredths of a second.
const LAST: u16 = 150;

/// Returns an animation of `count` frames of equal size, each shown for `delay` hundredths of a second, in a loop.
/// Each frame is requested more than once, so that only one is held at a time. None if a frame cannot be drawn or
/// exceeds the limits of the format.
pub(super) fn gif(
    count: usize,
    delay: u16,
    mut frame: impl FnMut(usize) -> Option<Pixmap>,
) -> Option<Vec<u8>> {
    let mut histogram = Histogram::new();
    for k in (0..count).step_by(count.div_ceil(LOOKED_AT).max(1)) {
        histogram.add(frame(k)?.data());
    }
    let mut palette = Palette::new(&histogram);
    let mut bytes = b"GIF89a".to_vec();
    let mut size = [0u16; 2];
    let mut before: Vec<u8> = Vec::new();
    for k in 0..count {
        let map = frame(k)?;
        let here = [map.width(), map.height()].map(|n| u16::try_from(n).ok());
        let [Some(width), Some(height)] = here else {
            return None;
        };
        if k == 0 {
            size = [width, height];
            head(&mut bytes, size, &palette);
        } else if size != [width, height] {
            return None;
        }
        let indices: Vec<u8> = map
            .data()
            .chunks_exact(4)
            .map(|p| palette.index(p))
            .collect();
        let wait = if k + 1 == count {
            LAST.max(delay)
        } else {
            delay
        };
        image(&mut bytes, size, &before, &indices, wait);
        before = indices;
    }
    bytes.push(0x3b);
    Some(bytes)
}

fn number(bytes: &mut Vec<u8>, value: u16) {
    bytes.extend(value.to_le_bytes());
}

/// Writes the logical screen with the palette, and the extension that loops for ever.
fn head(bytes: &mut Vec<u8>, [width, height]: [u16; 2], palette: &Palette) {
    number(bytes, width);
    number(bytes, height);
    // A table of 256 colours of 8 bits for all frames.
    bytes.extend([0b1111_0111, 0, 0]);
    for colour in palette.colours() {
        bytes.extend(colour);
    }
    bytes.extend([0x21, 0xff, 11]);
    bytes.extend(b"NETSCAPE2.0");
    bytes.extend([3, 1, 0, 0, 0]);
}

/// Writes a frame: the difference from the previous one.
fn image(bytes: &mut Vec<u8>, [width, height]: [u16; 2], before: &[u8], now: &[u8], delay: u16) {
    let columns = usize::from(width);
    let differs = |at: usize| before.get(at) != now.get(at);
    let (mut low, mut high) = ([columns, usize::from(height)], [0usize; 2]);
    for at in (0..now.len()).filter(|at| differs(*at)) {
        let place = [at % columns, at / columns];
        for k in 0..2 {
            low[k] = low[k].min(place[k]);
            high[k] = high[k].max(place[k] + 1);
        }
    }
    if low[0] >= high[0] {
        // Nothing changed: a single pixel carries the delay.
        (low, high) = ([0, 0], [1, 1]);
    }
    // Frames are kept in place; the last index is transparent.
    bytes.extend([0x21, 0xf9, 4, 0b0000_0101]);
    number(bytes, delay);
    bytes.extend([palette::TRANSPARENT, 0, 0x2c]);
    for value in [low[0], low[1], high[0] - low[0], high[1] - low[1]] {
        number(bytes, value as u16);
    }
    bytes.push(0);
    let mut indices = Vec::new();
    for row in low[1]..high[1] {
        for at in row * columns + low[0]..row * columns + high[0] {
            indices.push(if differs(at) {
                now[at]
            } else {
                palette::TRANSPARENT
            });
        }
    }
    bytes.push(lzw::BITS);
    for block in lzw::packed(&indices).chunks(255) {
        bytes.push(block.len() as u8);
        bytes.extend(block);
    }
    bytes.push(0);
}
