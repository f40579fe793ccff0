//! LZW compression of GIF (Welch 1984): codes of growing length for strings of pixels, in a table that the writer and
//! the reader build in the same way.

use rustc_hash::FxHashMap;

/// Bits per pixel.
pub(super) const BITS: u8 = 8;
/// Code that clears the table.
const CLEAR: u16 = 1 << BITS;
const END: u16 = CLEAR + 1;
/// Greatest length of a code, bits.
const LONGEST: u32 = 12;

/// A stream of codes as bits, the lowest first.
struct Bits {
    bytes: Vec<u8>,
    held: u32,
    count: u32,
}

impl Bits {
    fn put(&mut self, code: u16, bits: u32) {
        self.held |= u32::from(code) << self.count;
        self.count += bits;
        while self.count >= 8 {
            self.bytes.push(self.held as u8);
            self.held >>= 8;
            self.count -= 8;
        }
    }
}

/// Returns the compressed pixels.
pub(super) fn packed(pixels: &[u8]) -> Vec<u8> {
    let mut bits = Bits {
        bytes: Vec::new(),
        held: 0,
        count: 0,
    };
    let shortest = u32::from(BITS) + 1;
    let mut length = shortest;
    // Maps a code and a pixel to the code of the string extended by that pixel.
    let mut longer: FxHashMap<(u16, u8), u16> = FxHashMap::default();
    let mut next = END + 1;
    bits.put(CLEAR, length);
    let Some((&first, rest)) = pixels.split_first() else {
        bits.put(END, length);
        bits.put(0, 7);
        return bits.bytes;
    };
    let mut code = u16::from(first);
    for &pixel in rest {
        if let Some(&known) = longer.get(&(code, pixel)) {
            code = known;
            continue;
        }
        bits.put(code, length);
        if u32::from(next) == 1 << LONGEST {
            bits.put(CLEAR, length);
            longer.clear();
            (next, length) = (END + 1, shortest);
        } else {
            longer.insert((code, pixel), next);
            // The reader knows this string only after the next code, which may need one more bit.
            if u32::from(next) == 1 << length {
                length += 1;
            }
            next += 1;
        }
        code = u16::from(pixel);
    }
    bits.put(code, length);
    // The code just written lets the reader's table grow once more.
    if u32::from(next) == 1 << length && length < LONGEST {
        length += 1;
    }
    bits.put(END, length);
    bits.put(0, 7);
    bits.bytes
}
