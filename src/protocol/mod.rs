//! Numbers and names that this crate shares with the package's JavaScript and with the server, in one table.
//!
//! `cargo xtask build` writes the JavaScript side to `pkg/gen/protocol.js`, so that the two cannot differ: `reply::LATE` is
//! `REPLY_LATE` there.
//!
//! | file | content |
//! |---|---|
//! | `hilo` | tasks, waiting callers, pages and siblings |
//! | `session` | saves of a session |
//! | `offline` | the queue of changes on the device |
//! | `kept` | documents on the device |
//! | `sets` | sets of documents that are all on the device |
//! | `ravendb` | names that RavenDB knows: metadata, headers, paths |

/// The value of a constant in JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number(u32),
    /// A text.
    Text(&'static str),
    /// Texts.
    List(&'static [&'static str]),
}

/// Module, name and value of a constant.
pub type Entry = (&'static str, &'static str, Value);

/// Generates modules of constants, and a part of [`TABLE`] from them.
macro_rules! table {
    ($part:ident; $($(#[$about:meta])* $module:ident: $kind:ident $type:ty { $($(#[$of:meta])* $name:ident = $value:expr,)* })*) => {
        $($(#[$about])* pub mod $module { $($(#[$of])* pub const $name: $type = $value;)* })*

        /// Every constant of this file.
        pub(super) const $part: &[super::Entry] =
            &[$($((stringify!($module), stringify!($name), super::Value::$kind($module::$name as table!(@as $kind))),)*)*];
    };
    (@as Number) => { u32 };
    (@as Text) => { &'static str };
    (@as List) => { &'static [&'static str] };
}

mod hilo;
mod kept;
mod offline;
mod ravendb;
mod session;
mod sets;

pub use hilo::*;
pub use kept::*;
pub use offline::*;
pub use ravendb::*;
pub use session::*;
pub use sets::*;

/// Every constant.
pub const TABLE: [&[Entry]; 6] = [HILO, SESSION, OFFLINE, KEPT, SETS, RAVENDB];
