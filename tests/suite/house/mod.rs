//! The house: which room imports which, held to the table of layers in the page on the architecture.

mod circles;
mod modules;
mod table;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use circles::circles;
use modules::{Module, Modules};
use table::Layers;

fn house() -> (Modules, Layers) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = root.join("src/_documentation/architecture.md");
    let page = std::fs::read_to_string(page).expect("the page on the architecture");
    (Modules::read(&root.join("src")), Layers::read(&page))
}

/// Whether a module is one that the other lies in: a folder's own file declares what is in it.
fn encloses(outer: &Module, inner: &Module) -> bool {
    inner.starts_with(outer)
}

#[test]
fn every_room_imports_only_rooms_below_it() {
    let (modules, layers) = house();
    let mut wrong = Vec::new();
    for (from, targets) in modules.arrows() {
        for to in targets.iter().filter(|to| !encloses(from, to) && !encloses(to, from)) {
            let (Some(here), Some(there)) = (layers.height(from), layers.height(to)) else {
                continue;
            };
            if there > here {
                wrong.push(format!("{} imports {}", modules.file(from).display(), to.join("::")));
            }
        }
    }
    assert!(wrong.is_empty(), "against the table of layers:\n{}", wrong.join("\n"));
}

#[test]
fn every_layer_stands_in_the_table() {
    let (modules, layers) = house();
    let outside = |module: &&Module| !module.is_empty() && layers.height(module).is_none();
    let missing: Vec<_> = modules.all().filter(outside).map(|module| module.join("::")).collect();
    assert_eq!(missing, ["_documentation"], "not in the table of layers");
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let (modules, _) = house();
    let arrows: BTreeMap<Module, BTreeSet<Module>> = modules
        .arrows()
        .into_iter()
        .map(|(from, to)| {
            let others = to.into_iter().filter(|to| !encloses(to, from));
            (from.clone(), others.collect())
        })
        .collect();
    let circles = circles(&arrows);
    let names = |circle: &BTreeSet<Module>| {
        circle.iter().map(|module| module.join("::")).collect::<Vec<_>>().join(", ")
    };
    let lines: Vec<String> = circles.iter().map(names).collect();
    assert!(lines.is_empty(), "{} circles of files:\n{}", lines.len(), lines.join("\n"));
}

#[test]
fn circles_are_found() {
    let arrows = [("a", vec!["b"]), ("b", vec!["c"]), ("c", vec!["a", "d"]), ("d", vec![])];
    let arrows: BTreeMap<&str, BTreeSet<&str>> =
        arrows.into_iter().map(|(from, to)| (from, to.into_iter().collect())).collect();
    assert_eq!(circles(&arrows), [BTreeSet::from(["a", "b", "c"])]);
}

#[test]
fn imports_and_paths_are_read_and_tests_are_left_out() {
    let source = "
        use crate::a::{b, c::{self, D as E}};
        pub(crate) use f::*;
        fn g() -> crate::h::I { super::j::k(\"crate::no\") }
        #[cfg(test)]
        mod tests { use crate::not_this; }
        #[cfg(test)]
        mod fixture;
        mod inner { use super::l; }
    ";
    let said = tokens::said(source);
    let imports: Vec<String> = said
        .imports
        .iter()
        .map(|import| {
            format!("{}{}={}", import.module.join("/"), import.path.join("::"), import.name)
        })
        .collect();
    assert_eq!(
        imports,
        ["crate::a::b=b", "crate::a::c=c", "crate::a::c::D=E", "f=*", "innersuper::l=l"]
    );
    let paths: Vec<String> = said.paths.iter().map(|(_, path)| path.join("::")).collect();
    assert_eq!(paths, ["crate::h::I", "super::j::k"]);
    assert_eq!((said.tests, said.children), (vec!["fixture".to_owned()], Vec::new()));
}
