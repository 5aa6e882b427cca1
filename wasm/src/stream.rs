//! An answer that comes in pieces: the façade has the pieces, and is told what is where in them.

use raven_edge::stream::Splitter as Core;
use wasm_bindgen::prelude::*;

use crate::session::Answer;

/// Cuts one answer; the façade's stream owns one.
#[wasm_bindgen]
#[derive(Default)]
pub struct Splitter {
    core: Core,
}

#[wasm_bindgen]
impl Splitter {
    /// Before the first piece.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Splitter {
        Splitter::default()
    }

    /// Looks at the next piece, which keeps its places: see [`raven_edge::stream::Cut`]. Gives the number of the part
    /// that comes next, below 0 where the piece does not go on as an answer does.
    pub fn feed(&mut self, piece: &Answer) -> i32 {
        let Some(cut) = self.core.feed(piece, piece.length()) else { return -1 };
        piece.keep(&[cut.head, cut.from, cut.to, cut.rest, cut.tail].map(|place| place as u32));
        self.core.part() as i32
    }
}
