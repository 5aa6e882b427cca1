//! The gateway: what a caller may do with RavenDB, decided on the whole request before anything is sent.
//!
//! Nothing passes through. What is understood and permitted is made anew, in the exact texts that the client writes; what
//! comes back is made anew from what may be seen. So there is no second reader who could find another meaning.
//!
//! | module | one idea |
//! |---|---|
//! | `class` | what the Worker's shell, `pkg/gateway.js`, calls |
//! | `decide` | the list of routes; from a request to a plan, from a plan to a request |
//! | `config`, `collections` | who may do what; wrong configurations name their field |
//! | `origin` | whose pages may call, and CORS |
//! | `request` | addresses, queries and bodies with one meaning or none |
//! | `lease`, `give_back`, `token` | ranges, and the proof that one was leased by its caller |
//! | `read`, `write` | documents |
//! | `answer`, `refusal` | what the caller hears |
//! | `plan` | the values in between |

mod answer;
mod class;
mod collections;
mod config;
mod decide;
mod give_back;
mod lease;
mod origin;
mod plan;
mod read;
mod refusal;
mod request;
mod token;
mod write;

pub use class::{Gateway, Ruling};

#[cfg(test)]
mod mutation;
#[cfg(test)]
mod tests;
