//! Progress of a fit, on a terminal.

use std::io::IsTerminal;
use std::time::Duration;

use burn_did::Progress;
use indicatif::{ProgressBar, ProgressStyle};

/// A line on standard error while a fit is running; nothing if that is not a terminal.
pub(crate) struct Bar(Option<ProgressBar>);

impl Bar {
    pub(crate) fn new(quiet: bool) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::no_length().with_style(style("{spinner} {msg}"));
        bar.set_message("reading");
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(Some(bar))
    }

    /// The callback that moves the line.
    pub(crate) fn callback(&self) -> Option<Progress> {
        let bar = self.0.clone()?;
        let counting = style("{spinner} {msg:18} {bar:40} {pos}/{len}");
        Some(Progress::new(move |event| {
            bar.set_style(counting.clone());
            bar.set_message(event.stage);
            bar.set_length(event.total);
            bar.set_position(event.done);
        }))
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
