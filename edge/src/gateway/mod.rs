//! The gateway decides about whole requests of callers before it sends anything to RavenDB.
//!
//! No text of a request is forwarded. The gateway writes a new request, in exactly the client's format, from what it
//! understood and permits, and a new response from what the caller may see. So RavenDB cannot understand a request
//! differently than the gateway did.
//!
//! | module | content |
//! |---|---|
//! | `wasm_class` | the class that the Worker's shell, `pkg/src/gateway/worker`, calls |
//! | `decide` | the list of routes; turns a request into a plan, and a plan into a request to RavenDB |
//! | `settings` | permissions of callers by collection, limits; an error in the configuration names the field |
//! | `origin` | which pages may call, and CORS |
//! | `request` | strict readers of addresses, queries and bodies: ambiguous ones are refused |
//! | `ranges` | leases and returns of ranges, and the proof that a caller leased a range |
//! | `attachments` | files of documents: commands, uploads and downloads piece by piece |
//! | `documents` | reads and writes of documents; what is written is guarded by what was judged |
//! | `rows` | which documents of a collection a caller may see and write |
//! | `id_key` | the comparison of ids |
//! | `gather` | items in a list |
//! | `named` | named queries and patches |
//! | `live` | changes over a WebSocket; a feature, because many apps have no use for it |
//! | `response`, `refusal` | responses to the caller |
//! | `plan` | the types that the modules exchange |

mod attachments;
mod decide;
mod documents;
mod gather;
mod id_key;
#[cfg(feature = "live")]
mod live;
mod named;
mod origin;
mod plan;
mod ranges;
mod refusal;
mod request;
mod response;
mod rows;
mod settings;
mod wasm_class;

use documents::{command, multi_get, read, receipt, visible_documents, write, write_guard};
#[cfg(feature = "live")]
pub use live::LiveWatches;
use ranges::{base64url, give_back, lease, token};
use settings::{collections, config};
pub use wasm_class::{Gateway, Ruling};

#[cfg(test)]
mod proofs;
