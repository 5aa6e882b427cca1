//! Uploads and downloads, as the Worker's shell carries them out piece by piece.

use crate::gateway::plan::{Call, Plan};
use crate::gateway::response::UpstreamResponse;
use crate::gateway::wasm_class::{Outcome, Ruling, pairs};
use crate::prelude::*;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
impl Ruling {
    /// Whether the body of the request is taken piece by piece.
    #[wasm_bindgen(getter, js_name = isUpload)]
    pub fn is_upload(&self) -> bool {
        self.upload.is_some()
    }

    /// Takes a piece of the body, until the commands are complete: then it returns `true`. `undefined`: the request is refused.
    #[wasm_bindgen(js_name = takeCommands)]
    pub fn take_commands(&mut self, piece: &[u8]) -> Option<bool> {
        match self.upload.as_mut()?.take_commands(piece) {
            Ok(complete) => Some(complete),
            Err(refusal) => {
                self.outcome = Outcome::Refusal(refusal);
                None
            }
        }
    }

    /// Whether the request that `bind` or `receive` returned has the contents as its body, behind [`Ruling::sent_body`].
    #[wasm_bindgen(getter, js_name = sendsContents)]
    pub fn sends_contents(&self) -> bool {
        self.sends_contents
    }

    /// Takes a piece of the contents; returns what is sent of it. `undefined`: the request is refused, and must be cut.
    #[wasm_bindgen(js_name = takeContents)]
    pub fn take_contents(&mut self, piece: &[u8]) -> Option<Vec<u8>> {
        match self.upload.as_mut()?.next(piece) {
            Ok(sent) => Some(sent),
            Err(refusal) => {
                self.outcome = Outcome::Refusal(refusal);
                None
            }
        }
    }

    /// Whether the request was refused.
    #[wasm_bindgen(getter, js_name = isRefused)]
    pub fn is_refused(&self) -> bool {
        matches!(self.outcome, Outcome::Refusal(_))
    }

    /// The last bytes that are sent, once the body has ended. `undefined`: the request is refused, and must be cut.
    #[wasm_bindgen(js_name = endContents)]
    pub fn end_contents(&mut self) -> Option<String> {
        match self.upload.as_mut()?.end() {
            Ok(sent) => Some(sent),
            Err(refusal) => {
                self.outcome = Outcome::Refusal(refusal);
                None
            }
        }
    }

    /// Whether the next response may be that of an attachment, whose body is passed on as it comes.
    #[wasm_bindgen(getter, js_name = isContent)]
    pub fn is_content(&self) -> bool {
        matches!(&self.outcome, Outcome::Plan(Plan { call: Call::Download(download), .. }) if download.is_content())
    }

    /// Takes the head of that response. Returns whether its body is that of the response to the caller; if not, it goes to
    /// [`Ruling::receive`].
    #[wasm_bindgen(js_name = beginContent)]
    pub fn begin_content(&mut self, status: u16, headers: Vec<String>) -> bool {
        let upstream = UpstreamResponse { status, headers: pairs(headers), body: Vec::new() };
        let Outcome::Plan(Plan { call: Call::Download(download), .. }) = &self.outcome else { return false };
        let Some(response) = download.begin(&upstream) else { return false };
        self.outcome = Outcome::Response(response);
        true
    }
}
