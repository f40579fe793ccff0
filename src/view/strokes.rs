//! A small stroke font, so that raster pictures can contain text on machines without fonts.
//!
//! A glyph is a list of chains of points on a grid: two digits per point (x to the right, y up), a blank between
//! points, a semicolon between chains. The base line is y = 2, capitals end at 8.

/// Grid units from the base line to the top of a capital.
const CAPITAL: f32 = 6.0;
/// Grid units between letters.
const GAP: f32 = 2.2;
/// Width of a blank, grid units.
const BLANK: f32 = 3.0;

fn glyph(letter: char) -> &'static str {
    match letter {
        'a' => "46 42;45 36 16 05 03 12 32 43",
        'b' => "08 02;05 16 36 45 43 32 12 03",
        'c' => "45 36 16 05 03 12 32 43",
        'd' => "48 42;45 36 16 05 03 12 32 43",
        'e' => "04 44 45 36 16 05 03 12 32 43",
        'f' => "38 28 17 12;06 26",
        'g' => "46 41 30 10 01;45 36 16 05 03 12 32 43",
        'h' => "08 02;05 16 36 45 42",
        'i' => "06 02;08 08",
        'j' => "16 11 00;18 18",
        'k' => "08 02;36 04 42",
        'l' => "08 03 12",
        'm' => "06 02;05 16 25 22;25 36 45 42",
        'n' => "06 02;05 16 36 45 42",
        'o' => "05 16 36 45 43 32 12 03 05",
        'p' => "06 00;05 16 36 45 43 32 12 03",
        'q' => "46 40;45 36 16 05 03 12 32 43",
        'r' => "06 02;04 16 26",
        's' => "45 36 16 05 14 34 43 32 12 03",
        't' => "18 13 22 32;06 36",
        'u' => "06 03 12 32 43;46 42",
        'v' => "06 22 46",
        'w' => "06 12 25 32 46",
        'x' => "06 42;46 02",
        'y' => "06 22;46 10 00",
        'z' => "06 46 02 42",
        'J' => "48 43 32 12 03",
        'N' => "02 08 42 48",
        '_' => "01 41",
        '%' => "02 48;08 17;33 42",
        ';' => "12 01;15 15",
        '0' => "07 18 38 47 43 32 12 03 07",
        '1' => "06 28 22",
        '2' => "07 18 38 47 46 02 42",
        '3' => "07 18 38 47 46 35 44 43 32 12 03;35 15",
        '4' => "32 38 04 44",
        '5' => "48 08 05 35 44 43 32 12 03",
        '6' => "47 38 18 07 03 12 32 43 44 35 15 04",
        '7' => "08 48 12",
        '8' => "15 06 07 18 38 47 46 35 15 04 03 12 32 43 44 35",
        '9' => "46 35 15 06 07 18 38 47 43 32 12 03",
        '.' => "02 02",
        ',' => "12 01",
        ':' => "02 02;05 05",
        '=' => "05 45;03 43",
        '-' => "04 34",
        '+' => "04 44;26 22",
        '/' => "02 48",
        ' ' => "",
        // A box for characters that the font lacks.
        _ => "02 08 48 42 02",
    }
}

/// Returns the chains of a text with capitals of `size` pixels, its base line starting at `at`, and the width of the
/// pen.
pub(super) fn text(text: &str, at: [f32; 2], size: f32) -> (Vec<Vec<[f32; 2]>>, f32) {
    let unit = size / CAPITAL;
    let mut chains = Vec::new();
    let mut left = at[0];
    for letter in text.chars() {
        let mut reach: f32 = 0.0;
        for chain in glyph(letter).split(';').filter(|chain| !chain.is_empty()) {
            let mut points = Vec::new();
            for point in chain.split(' ') {
                let mut digits = point.bytes().map(|b| f32::from(b - b'0'));
                let (x, y) = (digits.next().unwrap_or(0.0), digits.next().unwrap_or(0.0));
                reach = reach.max(x);
                points.push([left + x * unit, at[1] - (y - 2.0) * unit]);
            }
            chains.push(points);
        }
        left += (if letter == ' ' { BLANK } else { reach + GAP }) * unit;
    }
    (chains, 0.95 * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_stand_side_by_side_on_the_line() {
        let (chains, _) = text("10 N", [10.0, 20.0], 6.0);
        let x = |c: &[[f32; 2]]| c.iter().map(|p| p[0]).fold(f32::MAX, f32::min);
        let starts: Vec<f32> = chains.iter().map(|c| x(c)).collect();
        assert_eq!(chains.len(), 3);
        assert!(starts.is_sorted());
        let lowest = chains
            .iter()
            .flatten()
            .map(|p| p[1])
            .fold(f32::MIN, f32::max);
        assert_eq!(lowest, 20.0);
    }

    #[test]
    fn all_that_captions_say_has_a_glyph() {
        let unknown = glyph('\u{1}');
        for letter in ('a'..='z').chain('0'..='9').chain("JN.,:;=-+/_%".chars()) {
            assert_ne!(glyph(letter), unknown, "{letter}");
        }
    }
}
