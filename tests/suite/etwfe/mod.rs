//! Extended two-way fixed effects.

mod dense;
mod errors;
mod levels;
mod results;
mod textbook;
mod uncompared;
mod undetermined;

use burn_did::Etwfe;
use burn_did::backend::Cpu;

fn etwfe() -> Etwfe<Cpu> {
    Etwfe::builder().outcome("y").unit("id").time("t").group("g").build()
}
