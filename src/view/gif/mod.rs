//! Animations of a run as GIF (version 89a): one palette for all frames; each frame contains only the rectangle that
//! changed, with unchanged pixels transparent.

mod palette;

use std::borrow::Cow;

use gif::{DisposalMethod, Encoder, Frame, Repeat};
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
    let colours: Vec<u8> = palette.colours().flatten().collect();
    let mut encoder = None;
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
            let mut begun = Encoder::new(Vec::new(), width, height, &colours).ok()?;
            begun.set_repeat(Repeat::Infinite).ok()?;
            encoder = Some(begun);
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
        let changes = changed(size, &before, &indices, wait);
        encoder.as_mut()?.write_frame(&changes).ok()?;
        before = indices;
    }
    encoder?.into_inner().ok()
}

/// A frame: the rectangle that differs from the frame before, transparent where it does not.
fn changed([width, height]: [u16; 2], before: &[u8], now: &[u8], delay: u16) -> Frame<'static> {
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
    let [left, top, right, bottom] = [low[0], low[1], high[0], high[1]].map(|x| x as u16);
    Frame {
        delay,
        dispose: DisposalMethod::Keep,
        transparent: Some(palette::TRANSPARENT),
        left,
        top,
        width: right - left,
        height: bottom - top,
        buffer: Cow::Owned(indices),
        ..Frame::default()
    }
}
