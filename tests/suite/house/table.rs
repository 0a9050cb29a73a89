//! The table of layers in the page on the architecture: who may import whom.

use super::modules::Module;

/// Layers whose rows name all their rooms.
const LISTED: [&str; 4] = ["base", "read", "engine", "result"];

/// Rows of layers and rooms, the lowest first: a room may import those of its row and of rows before it.
#[derive(Debug)]
pub(super) struct Layers {
    rows: Vec<(String, Vec<String>)>,
}

impl Layers {
    /// Reads the rows `` | `layer` | `room`, `room` | `` below the heading of the table.
    pub(super) fn read(page: &str) -> Self {
        let (_, table) = page.split_once("| layer | rooms").expect("the table of layers");
        let words = |cell: &str| -> Vec<String> {
            cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
        };
        let row = |line: &str| {
            let cells: Vec<&str> = line.split('|').collect();
            (words(cells[1]).concat(), words(cells[2]))
        };
        let lines = table.lines().skip(2).take_while(|line| line.starts_with('|'));
        Self { rows: lines.map(row).collect() }
    }

    /// Position of a module's row; none of a room that its layer does not list. Other layers hold all their rooms.
    pub(super) fn height(&self, module: &Module) -> Option<usize> {
        let layer = module.first()?;
        let rows = || self.rows.iter().enumerate().filter(|(_, row)| row.0 == *layer);
        let room = module.get(1);
        let named = rows().find(|(_, row)| room.is_some_and(|room| row.1.contains(room)));
        let is_unlisted = named.is_none() && room.is_some() && LISTED.contains(&layer.as_str());
        named.or_else(|| rows().next()).map(|(height, _)| height).filter(|_| !is_unlisted)
    }
}
