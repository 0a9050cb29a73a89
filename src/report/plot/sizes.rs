//! Sizes of letters and distances.

/// Text sizes in pixels an em, and the unit of all distances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) unit: f64,
    pub(super) title: f64,
    /// Of the labels of axes.
    pub(super) label: f64,
    pub(super) tick: f64,
    /// Of the legend, and of the titles of panels.
    pub(super) note: f64,
}

impl Sizes {
    /// The sizes of a picture that is usually of another size, with letters `text` times as large as usual.
    pub(super) fn new(size: (u32, u32), usual: (u32, u32), text: f64) -> Self {
        let share = |side: u32, usual: u32| f64::from(side) / f64::from(usual);
        let scale = share(size.0, usual.0).min(share(size.1, usual.1));
        // Letters shrink less than small pictures do, to stay legible.
        let unit = if scale < 1.0 { scale.powf(0.6) } else { scale };
        let letters = |usual: f64| usual * text * unit;
        Self {
            unit,
            title: letters(23.0),
            label: letters(18.0),
            tick: letters(15.5),
            note: letters(16.0),
        }
    }
}
