//! Circles: sets of modules of which each leads to all others.

use std::collections::{BTreeMap, BTreeSet};

/// Every circle of a graph.
pub(super) fn circles<T: Ord + Clone>(arrows: &BTreeMap<T, BTreeSet<T>>) -> Vec<BTreeSet<T>> {
    let reached: BTreeMap<&T, BTreeSet<&T>> =
        arrows.keys().map(|start| (start, reachable(start, arrows))).collect();
    let leads = |from: &T, to: &T| reached.get(from).is_some_and(|ends| ends.contains(to));
    let mut found: Vec<BTreeSet<T>> = Vec::new();
    for start in arrows.keys().filter(|start| leads(start, start)) {
        if found.iter().any(|circle| circle.contains(start)) {
            continue;
        }
        let members = arrows.keys().filter(|other| leads(start, other) && leads(other, start));
        found.push(members.cloned().collect());
    }
    found
}

/// All that can be reached from here in one step or more.
fn reachable<'a, T: Ord>(start: &'a T, arrows: &'a BTreeMap<T, BTreeSet<T>>) -> BTreeSet<&'a T> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&T> = arrows[start].iter().collect();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(arrows.get(next).into_iter().flatten());
        }
    }
    reached
}
