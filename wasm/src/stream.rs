//! An answer that comes in pieces: the façade has the pieces, and is told what is where in them.

use raven_edge::stream::{Piece as Bytes, Splitter as Core};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// A piece of an answer, which stays outside (`pkg/hot/pieces.js`).
    pub type Piece;

    /// How many bytes it has.
    #[wasm_bindgen(method, getter)]
    fn length(this: &Piece) -> usize;
    /// Copies bytes of it into wasm memory.
    #[wasm_bindgen(method)]
    fn copy(this: &Piece, at: usize, memory: &mut [u8]);
    /// Keeps these places of it.
    #[wasm_bindgen(method)]
    fn keep(this: &Piece, places: &[u32]);
}

impl Bytes for Piece {
    fn read(&self, at: usize, into: &mut [u8]) {
        self.copy(at, into);
    }
}

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
    pub fn feed(&mut self, piece: &Piece) -> i32 {
        let Some(cut) = self.core.feed(piece, piece.length()) else { return -1 };
        piece.keep(&[cut.head, cut.from, cut.to, cut.rest, cut.tail].map(|place| place as u32));
        self.core.part() as i32
    }
}
