//! Names in messages: lists of names, and the known name nearest to an unknown one.

/// Returns the known name nearest to `word`, if it is near enough for a typing error.
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

/// Formats names as a list for a message: `a`, `b`, `c`.
pub fn names<'a>(list: impl IntoIterator<Item = &'a str>) -> String {
    list.into_iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
