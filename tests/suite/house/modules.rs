//! The modules of the library, and which file imports which.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::tokens::{Said, said};

/// A module's names from the root of the crate.
pub(super) type Module = Vec<String>;

/// Every file of the library that is compiled without tests.
#[derive(Debug)]
pub(super) struct Modules {
    files: BTreeMap<Module, (PathBuf, Said)>,
}

impl Modules {
    /// Reads `src` from its `lib.rs` on; programs (`src/bin`) are other crates.
    pub(super) fn read(src: &Path) -> Self {
        let mut files = BTreeMap::new();
        let mut open = vec![(Vec::new(), src.join("lib.rs"))];
        while let Some((module, file)) = open.pop() {
            let source = std::fs::read_to_string(&file).expect("a source file");
            let said = said(&source);
            let folder = src.join(module.iter().collect::<PathBuf>());
            for child in said.children.iter().filter(|child| !said.tests.contains(child)) {
                let nested = folder.join(child).join("mod.rs");
                let flat = folder.join(format!("{child}.rs"));
                let path = if nested.exists() { nested } else { flat };
                if path.exists() {
                    open.push(([&module[..], std::slice::from_ref(child)].concat(), path));
                }
            }
            files.insert(module, (file, said));
        }
        Self { files }
    }

    pub(super) fn file(&self, module: &Module) -> &Path {
        &self.files[module].0
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Module> {
        self.files.keys()
    }

    /// From each module to those that its file names.
    pub(super) fn arrows(&self) -> BTreeMap<&Module, BTreeSet<Module>> {
        let arrows_of = |(module, (_, said)): (_, &(PathBuf, Said))| {
            let module: &Module = module;
            let imports = said.imports.iter().map(|import| (&import.module, &import.path));
            let named = imports.chain(said.paths.iter().map(|(inner, path)| (inner, path)));
            let target = |(inner, path): (&Vec<String>, &Vec<String>)| {
                let absolute = self.absolute(&[&module[..], inner].concat(), path)?;
                let target = self.owner(&absolute, 0);
                (target != *module).then_some(target)
            };
            (module, named.filter_map(target).collect())
        };
        self.files.iter().map(arrows_of).collect()
    }

    /// A path from the root of the crate; nothing for paths of other crates.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Vec<String>> {
        let mut base = module.to_vec();
        let mut names = path;
        match names.first()?.as_str() {
            "crate" => base.clear(),
            "self" => {}
            "super" => {
                base.pop();
            }
            first => {
                let file = self.files.get(module)?;
                let child = [module, &[first.to_owned()]].concat();
                let here =
                    self.files.contains_key(&child) || file.1.children.iter().any(|c| c == first);
                return here.then(|| [module, path].concat());
            }
        }
        names = &names[1..];
        while names.first().is_some_and(|name| name == "super") {
            base.pop();
            names = &names[1..];
        }
        base.extend_from_slice(names);
        Some(base)
    }

    /// The module whose file defines what a path names: through modules, and through what they export again.
    fn owner(&self, path: &[String], depth: usize) -> Module {
        let length = (0..=path.len()).rev().find(|&n| self.files.contains_key(&path[..n]));
        let module = &path[..length.unwrap_or(0)];
        let Some(name) = path.get(module.len()) else { return module.to_vec() };
        let said = &self.files[module].1;
        let again =
            said.imports.iter().find(|import| import.module.is_empty() && import.name == *name);
        match again.and_then(|import| self.absolute(module, &import.path)) {
            Some(target) if depth < 8 && target != path => self.owner(&target, depth + 1),
            _ => module.to_vec(),
        }
    }
}
