//! Numbers and names that this crate shares with the package's JavaScript and with the server: one table.
//!
//! `cargo xtask build` writes what JavaScript needs of it to `pkg/gen/protocol.js`, so that no copy can differ: `reply::LATE` is
//! `REPLY_LATE` there.

/// A constant as JavaScript gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number(u16),
    /// A text.
    Text(&'static str),
}

/// Writes a module of constants, and the rows of [`TABLE`] that belong to it.
macro_rules! table {
    ($($(#[$about:meta])* $module:ident: $kind:ident $type:ty { $($(#[$of:meta])* $name:ident = $value:expr,)* })*) => {
        $($(#[$about])* pub mod $module { $($(#[$of])* pub const $name: $type = $value;)* })*

        /// Module, name and value of every constant.
        pub const TABLE: &[(&str, &str, Value)] =
            &[$($((stringify!($module), stringify!($name), Value::$kind($module::$name as table!(@as $kind))),)*)*];
    };
    (@as Number) => { u16 };
    (@as Text) => { &'static str };
}

table! {
    /// What the package reports to a task in place of an HTTP status, which is never below 100.
    reply: Number u16 {
        /// There is nothing to report: begin, or go on after a pause.
        PROCEED = 0,
        /// No response came.
        UNREACHABLE = 1,
        /// No response came in time.
        LATE = 2,
        /// A move between memory and pool is durable, as far as it has to be.
        MOVED = 3,
        /// It is unknown what became of a move: the numbers that it is about are burnt.
        LOST = 4,
        /// No response came, and the request is known never to have left.
        UNSENT = 5,
    }

    /// What a caller of a tag waits for: [`Want`](crate::hilo::waiters::Want).
    want: Number u8 {
        /// An id.
        ID = 0,
        /// Numbers that outlive the page.
        NUMBERS = 1,
        /// A few parked numbers in memory.
        READY = 2,
    }

    /// What the package reports to those who wait: [`Event`](crate::hilo::waiters::Event).
    event: Number u8 {
        /// The turn of the event loop is over.
        GATHERED = 0,
        /// A park is through.
        PARKED = 1,
        /// A claim is through.
        CLAIMED = 2,
        /// No sibling is leasing.
        TURNED = 3,
        /// Another task has ended.
        SHARED = 4,
        /// A lease has ended.
        LEASED = 5,
        /// The step has failed, and the same may succeed later.
        OUTAGE = 6,
        /// The step has failed.
        FAILED = 7,
        /// A caller's time is over.
        EXPIRED = 8,
        /// The store ends.
        CLOSED = 9,
        /// A caller got its id.
        SERVED = 10,
        /// Who could be served is.
        SETTLED = 11,
    }

    /// What the package does for those who wait: [`Effect`](crate::hilo::waiters::Effect).
    effect: Number u8 {
        /// Serve a caller.
        SERVE = 0,
        /// Report `GATHERED` at the end of this turn of the event loop.
        GATHER = 1,
        /// Run a task, and report the event that is named.
        RUN = 2,
        /// Report `TURNED` when no sibling is leasing.
        TURN = 3,
        /// Report `SHARED` when another task has ended.
        SHARE = 4,
        /// The flight is over.
        END = 5,
        /// Tell a caller that its time is over.
        EXPIRE = 6,
        /// Tell a caller the last failure.
        REFUSE = 7,
        /// Report `SETTLED`.
        SETTLE = 8,
    }
}

/// What the package reports of a save, and reads of a plan; see [`crate::session`].
#[cfg(feature = "session")]
pub mod save {
    /// The server has carried out the batch.
    pub const APPLIED: u32 = 0;
    /// It has, and has waited too long for copies or indexes.
    pub const WAITED: u32 = 1;
    /// A change vector did not fit.
    pub const CONFLICT: u32 = 2;
    /// The server refused the batch for another reason.
    pub const REFUSED: u32 = 3;
    /// Nothing was sent.
    pub const UNSENT: u32 = 4;
    /// No response came, or one that is not RavenDB's.
    pub const LOST: u32 = 5;
    /// Documents were read back.
    pub const SEEN: u32 = 6;
    /// Documents could not be read back.
    pub const UNREAD: u32 = 7;
    /// In a plan, in place of what is to be done with a document: it cannot be deleted, because only the server knows its id.
    pub const NO_ID: u32 = 3;
}
