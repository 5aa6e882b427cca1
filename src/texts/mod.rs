//! A store with its texts, for hosts in Rust: the core of numbers, the sources with their requests and responses, and the texts that have
//! numbers. The package does the same in TypeScript (`pkg/src/core`).

mod conversation;
mod dialogue;
mod executor;
mod names;
mod shell;
mod store;
mod task;

pub use conversation::{Conversation, Next};
pub use dialogue::{Dialogue, Input};
pub use executor::{Attempt, Executor};
pub use shell::{Order, Shell};
pub use store::{Call, Store};
pub use task::{Task, Wait, Waited};
