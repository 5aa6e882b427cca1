//! The gateway decides about whole requests of callers before it sends anything to RavenDB.
//!
//! No text of a request is forwarded. The gateway writes a new request, in exactly the client's format, from what it
//! understood and permits, and a new response from what the caller may see. So RavenDB cannot understand a request
//! differently than the gateway did.
//!
//! | module | content |
//! |---|---|
//! | `class` | the class that the Worker's shell, `pkg/src/entries/gateway`, calls |
//! | `decide` | the list of routes; turns a request into a plan, and a plan into a request to RavenDB |
//! | `config`, `collections` | permissions of callers by collection; an error in the configuration names the field |
//! | `origin` | which pages may call, and CORS |
//! | `request` | strict readers of addresses, queries and bodies: ambiguous ones are refused |
//! | `lease`, `give_back`, `token` | leases and returns of ranges, and the proof that a caller leased a range |
//! | `read`, `several`, `write` | documents |
//! | `rows`, `guard` | which documents of a collection a caller may see and write, judged by what is stored |
//! | `named` | named queries |
//! | `response`, `refusal` | responses to the caller |
//! | `plan` | the types that the modules exchange |

mod class;
mod collections;
mod config;
mod decide;
mod give_back;
mod guard;
mod lease;
mod named;
mod origin;
mod plan;
mod read;
mod refusal;
mod request;
mod response;
mod rows;
mod several;
mod token;
mod write;

pub use class::{Gateway, Ruling};

#[cfg(test)]
mod mutation;
#[cfg(test)]
mod rows_model_tests;
#[cfg(test)]
mod tests;
