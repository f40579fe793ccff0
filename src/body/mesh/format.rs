//! Recognises files of other formats than STL by their beginning.

/// Beginnings of files of other formats, with their names.
const BEGINNINGS: &[(&[u8], &str)] = &[
    (b"ply", "a PLY file"),
    (b"OFF", "an OFF file"),
    (b"COFF", "an OFF file"),
    (b"NOFF", "an OFF file"),
    (b"ISO-10303-21", "a STEP file"),
    (b"glTF", "a glTF file (GLB)"),
    (b"{", "a JSON file (glTF?)"),
    (b"PK\x03\x04", "a ZIP archive (3MF?)"),
    (b"# vtk", "a VTK file"),
    (b"$MeshFormat", "a Gmsh file (MSH)"),
    (b"Kaydara FBX", "an FBX file"),
    (b"\x1f\x8b", "a file packed by gzip"),
    (b"\xff\xfe", "a text in UTF-16"),
    (b"\xfe\xff", "a text in UTF-16"),
];

/// First words of the lines of an OBJ file.
const OBJ: [&str; 12] = [
    "v", "vn", "vt", "vp", "f", "o", "g", "s", "l", "mtllib", "usemtl", "#",
];

/// Returns the name of the format of a file, if it is known; leading blanks are ignored.
pub(super) fn other(bytes: &[u8]) -> Option<&'static str> {
    if let Some((_, name)) = BEGINNINGS
        .iter()
        .find(|(start, _)| bytes.starts_with(start))
    {
        return Some(name);
    }
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).into_owned();
    let lower = start.to_ascii_lowercase();
    if lower.starts_with("<?xml") || lower.starts_with('<') {
        let names = [
            ("<amf", "an AMF file"),
            ("<collada", "a COLLADA file (DAE)"),
            ("<vtkfile", "a VTK file"),
            ("<x3d", "an X3D file"),
        ];
        let found = names.iter().find(|(tag, _)| lower.contains(tag));
        return Some(found.map_or("an XML file", |(_, name)| name));
    }
    // The last line may be cut off.
    let whole = start
        .rsplit_once('\n')
        .map_or(&start[..], |(lines, _)| lines);
    let first = |line: &str| line.split_ascii_whitespace().next().map(str::to_string);
    let words: Vec<String> = whole.lines().filter_map(first).collect();
    let is_obj = |word: &String| OBJ.contains(&word.as_str()) || word.starts_with('#');
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    (words.iter().all(is_obj) && has("v")).then_some("an OBJ file (Wavefront)")
}

#[cfg(test)]
mod tests {
    use super::other;

    #[test]
    fn formats_by_how_they_begin() {
        let name = |text: &str| other(text.as_bytes()).unwrap_or("?").to_string();
        assert_eq!(name("ply\nformat ascii 1.0\n"), "a PLY file");
        assert_eq!(
            name("# made by hand\no box\nv 0 0 0\n"),
            "an OBJ file (Wavefront)"
        );
        assert_eq!(
            name("v 0 0 0\nv 1 0 0\nf 1 2 3\n"),
            "an OBJ file (Wavefront)"
        );
        assert_eq!(
            name("<?xml version=\"1.0\"?>\n<amf unit=\"mm\">"),
            "an AMF file"
        );
        assert_eq!(name("facet normal 0 0 1\nvertex 0 0 0\n"), "?");
    }
}
