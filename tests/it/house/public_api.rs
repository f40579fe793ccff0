//! The interface of the library, item by item, is that of `tests/data/public-api.txt`: nothing becomes public, and
//! nothing goes, unless the list says so.
//!
//! The list is read from the pages that `cargo doc` writes, so that any toolchain will do. It has names, no signatures,
//! and leaves out implementations of traits. `.ci/run` makes the pages and runs the test; by hand:
//!
//! ```text
//! cargo doc --release --no-deps --lib
//! cargo test --release --test it public_api -- --ignored
//! ```
//!
//! `ARENITE_BLESS=1` writes the list anew. `ARENITE_DOC` names a folder of pages elsewhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Files of items, by the beginning of their names, and how the list calls them.
const KINDS: [(&str, &str); 9] = [
    ("struct", "struct"),
    ("enum", "enum"),
    ("union", "union"),
    ("trait", "trait"),
    ("fn", "fn"),
    ("type", "type"),
    ("constant", "const"),
    ("static", "static"),
    ("macro", "macro"),
];

/// Anchors of what belongs to an item, and how the list calls it.
const MEMBERS: [(&str, &str); 6] = [
    ("structfield", "field"),
    ("variant", "variant"),
    ("tymethod", "fn"),
    ("method", "fn"),
    ("associatedconstant", "const"),
    ("associatedtype", "type"),
];

/// What follows the item's own members on its page: members of traits that it has, or of types that have the trait.
const OTHERS: [&str; 6] = [
    "deref-methods",
    "trait-implementations",
    "synthetic-implementations",
    "blanket-implementations",
    "foreign-impls",
    "implementors",
];

/// The values of an attribute in a page, in order, each with the place where it begins.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<(usize, &'a str)> {
    let begin = format!(" {attribute}=\"");
    let value = |(place, _): (usize, &str)| {
        let rest = &page[place + begin.len()..];
        (place, &rest[..rest.find('"').unwrap_or(rest.len())])
    };
    page.match_indices(&begin).map(value).collect()
}

/// The members that a page of an item describes, as lines of the list.
fn members(page: &str, item: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, id) in values(page, "id") {
        if OTHERS.iter().any(|other| id.starts_with(other)) {
            break;
        }
        let Some((anchor, name)) = id.split_once('.') else {
            continue;
        };
        let Some((_, kind)) = MEMBERS.iter().find(|(of, _)| *of == anchor) else {
            continue;
        };
        // A name that comes twice on a page has a number behind it.
        let name = name.split('-').next().unwrap_or(name);
        let line = match name.split('.').collect::<Vec<_>>()[..] {
            [variant, "field", field] => format!("field {item}::{variant}::{field}"),
            [name] => format!("{kind} {item}::{name}"),
            _ => continue,
        };
        found.insert(line);
    }
    found
}

/// Adds the modules in a module's page, and what they export from elsewhere.
fn modules(root: &Path, module: &str, into: &mut BTreeSet<String>) {
    let folder = root.join(module.replace("::", "/"));
    let page = read(&folder.join("index.html"));
    let within = |name: &str| match module {
        "" => name.to_owned(),
        _ => format!("{module}::{name}"),
    };
    for (_, id) in values(&page, "id") {
        if let Some(name) = id.strip_prefix("reexport.") {
            into.insert(format!("use {}", within(name)));
        }
    }
    for (place, class) in values(&page, "class") {
        let link = values(&page[place..], "href")
            .first()
            .map(|(_, link)| *link);
        let name = link.and_then(|link| link.strip_suffix("/index.html"));
        if let Some(name) = name.filter(|name| class == "mod" && !name.contains('/')) {
            into.insert(format!("mod {}", within(name)));
            modules(root, &within(name), into);
        }
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|why| {
        panic!(
            "cannot read {}: {why}; `cargo doc --release --no-deps --lib` writes it",
            path.display()
        )
    })
}

/// Everything that the pages in a folder describe, a line each, by path.
fn listed(root: &Path) -> Vec<String> {
    let mut found = BTreeSet::new();
    modules(root, "", &mut found);
    // Pages of items that are gone may still lie there: only this one knows which are.
    for (_, link) in values(&read(&root.join("all.html")), "href") {
        let (folder, file) = link.rsplit_once('/').unwrap_or(("", link));
        let parts: Vec<&str> = file.split('.').collect();
        let [kind, name, "html"] = parts[..] else {
            continue;
        };
        let Some((_, kind)) = KINDS.iter().find(|(of, _)| *of == kind) else {
            continue;
        };
        if folder.starts_with("..") {
            continue;
        }
        let item = match folder {
            "" => name.to_owned(),
            _ => format!("{}::{name}", folder.replace('/', "::")),
        };
        found.insert(format!("{kind} {item}"));
        found.extend(members(&read(&root.join(link)), &item));
    }
    let mut lines: Vec<String> = found.into_iter().collect();
    let path = |line: &String| line.split_once(' ').map(|(_, path)| path.to_owned());
    lines.sort_by_key(path);
    lines
}

/// The folder of the pages: beside that of the program.
fn pages() -> PathBuf {
    if let Some(folder) = std::env::var_os("ARENITE_DOC") {
        return folder.into();
    }
    let program = Path::new(env!("CARGO_BIN_EXE_arenite"));
    let target = program.parent().and_then(Path::parent).unwrap();
    target.join("doc/arenite")
}

#[test]
#[ignore = "needs the pages of cargo doc"]
fn public_items_are_those_of_the_list() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/public-api.txt");
    let found = listed(&pages());
    if std::env::var_os("ARENITE_BLESS").is_some() {
        fs::write(&file, found.join("\n") + "\n").unwrap();
        return;
    }
    let list = fs::read_to_string(&file).unwrap();
    let list: Vec<&str> = list.lines().collect();
    let added = found.iter().filter(|line| !list.contains(&line.as_str()));
    let added: Vec<String> = added.map(|line| format!("+ {line}\n")).collect();
    let removed = list.iter().filter(|line| !found.iter().any(|f| f == *line));
    let removed: Vec<String> = removed.map(|line| format!("- {line}\n")).collect();
    assert!(
        added.is_empty() && removed.is_empty(),
        "the interface is not that of tests/data/public-api.txt:\n{}{}hide what is internal (#[doc(hidden)], \
         pub(crate)), or write the list anew with ARENITE_BLESS=1 and say in CHANGELOG.md what users notice",
        removed.concat(),
        added.concat(),
    );
}

#[test]
fn own_members_are_read_from_a_page_and_no_others() {
    let page = r##"<h2 id="variants"><section id="variant.Tap" class="variant">
        <span id="variant.Tap.fields"><span id="variant.Tap.field.region">
        <section id="structfield.time"><h2 id="implementations"><section id="method.run" class="method">
        <section id="method.run-1" class="method"><section id="associatedconstant.ALL">
        <h2 id="trait-implementations"><section id="method.clone">"##;
    let found: Vec<String> = members(page, "a::B").into_iter().collect();
    let wanted = [
        "const a::B::ALL",
        "field a::B::Tap::region",
        "field a::B::time",
        "fn a::B::run",
        "variant a::B::Tap",
    ];
    assert_eq!(found, wanted);
}

#[test]
fn items_are_read_from_a_folder_of_pages() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "index.html",
        r#"<a class="mod" href="one/index.html" title="mod">one</a>"#,
    );
    write("one/index.html", r#"<dt id="reexport.Two">"#);
    write(
        "all.html",
        r#"<a href="../index.html"><a href="one/trait.Sink.html">"#,
    );
    write(
        "one/trait.Sink.html",
        r#"<section id="tymethod.take"><h2 id="foreign-impls"><section id="method.take">"#,
    );
    // Not in the list of all.
    write("one/struct.Gone.html", "");
    let wanted = [
        "mod one",
        "trait one::Sink",
        "fn one::Sink::take",
        "use one::Two",
    ];
    assert_eq!(listed(folder.path()), wanted);
}
