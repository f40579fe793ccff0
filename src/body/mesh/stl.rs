//! Reads STL, as text or binary.

use nalgebra::Vector3;

use super::MeshError;

/// Number of bytes before the number of triangles, and per triangle, in a binary file.
const HEADER: usize = 80;
const RECORD: usize = 50;

/// Returns the triangles of an STL file, m. A file is binary if its length matches its number of triangles, whatever
/// its first word; programs append line ends and zeros.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<[Vector3<f64>; 3]>, MeshError> {
    let count = bytes.get(HEADER..HEADER + 4).map(number);
    let end = count.and_then(length).filter(|end| {
        let rest = bytes.get(*end..);
        rest.is_some_and(|rest| rest.iter().all(|b| b.is_ascii_whitespace() || *b == 0))
    });
    if let Some(end) = end {
        return Ok(binary(&bytes[HEADER + 4..end]));
    }
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let start = start.trim_ascii_start();
    if start
        .get(..5)
        .is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
    {
        // Names may be in any encoding; all relevant text is ASCII.
        let text = String::from_utf8_lossy(bytes);
        let is_text = !text.contains('\0') && text.to_ascii_lowercase().contains("facet");
        if is_text || count.is_none() {
            return ascii(text.trim_start_matches('\u{feff}'));
        }
    }
    if let Some(format) = super::format::other(start) {
        return Err(MeshError::Format(format));
    }
    Err(match count {
        Some(triangles) => MeshError::Length {
            bytes: bytes.len(),
            triangles,
        },
        None => MeshError::NotStl,
    })
}

fn number(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .rev()
        .fold(0, |n, &byte| n << 8 | u32::from(byte))
}

fn length(triangles: u32) -> Option<usize> {
    let records = usize::try_from(triangles).ok()?.checked_mul(RECORD)?;
    records.checked_add(HEADER + 4)
}

fn binary(records: &[u8]) -> Vec<[Vector3<f64>; 3]> {
    let float = |bytes: &[u8]| f64::from(f32::from_bits(number(bytes)));
    let corner = |bytes: &[u8]| {
        Vector3::new(
            float(&bytes[0..4]),
            float(&bytes[4..8]),
            float(&bytes[8..12]),
        )
    };
    // The normal comes first, and is redundant with the order of the corners.
    let triangle = |record: &[u8]| [12, 24, 36].map(|at| corner(&record[at..at + 12]));
    records.chunks_exact(RECORD).map(triangle).collect()
}

fn ascii(text: &str) -> Result<Vec<[Vector3<f64>; 3]>, MeshError> {
    let mut triangles = Vec::new();
    let mut corners: Vec<Vector3<f64>> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let wrong = |message: &'static str| MeshError::Line {
            line: i + 1,
            message,
        };
        let mut words = line.split_ascii_whitespace();
        let Some(first) = words.next() else {
            continue;
        };
        match first.to_ascii_lowercase().as_str() {
            "vertex" => {
                let mut next = || words.next().and_then(|word| word.parse::<f64>().ok());
                let (Some(x), Some(y), Some(z)) = (next(), next(), next()) else {
                    return Err(wrong("a vertex needs three numbers"));
                };
                corners.push(Vector3::new(x, y, z));
            }
            "endfacet" => {
                let Ok(triangle) = <[Vector3<f64>; 3]>::try_from(corners.as_slice()) else {
                    return Err(wrong("a facet needs three vertices"));
                };
                triangles.push(triangle);
                corners.clear();
            }
            "solid" | "facet" | "outer" | "endloop" | "endsolid" => {}
            _ => {
                return Err(wrong(
                    "not a word of STL: solid, facet, outer loop, vertex, endloop, endfacet, endsolid",
                ));
            }
        }
    }
    if corners.is_empty() {
        Ok(triangles)
    } else {
        Err(MeshError::Line {
            line: text.lines().count(),
            message: "the file ends within a facet",
        })
    }
}
