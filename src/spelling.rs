//! Names in messages: lists of them, and the nearest to one that is none.

/// The known name nearest to what was written, when it is near enough to be a slip of the pen.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    known
        .into_iter()
        .map(|name| {
            let score = strsim::damerau_levenshtein(&lower, &name.to_lowercase());
            // A prefix is a good guess whatever the distance: `grav` for `gravity`.
            let prefix = word.len() >= 3 && name.starts_with(&lower);
            (if prefix { 1 } else { score }, name)
        })
        .min_by_key(|(score, _)| *score)
        .filter(|(score, name)| *score <= 1 + name.len().min(word.len()) / 3)
        .map(|(_, name)| name)
}

/// A list of names for a message: `a`, `b`, `c`.
pub fn names<'a>(list: impl IntoIterator<Item = &'a str>) -> String {
    list.into_iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
