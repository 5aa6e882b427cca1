//! The numbers, limits and effects of the hub for changes.

/// The number of a connection to the hub.
pub(super) type ListenerId = u32;
/// The number of a watched document, prefix or collection, from 1. It is not used again when nobody watches it any more: so it is
/// also the number of the command that RavenDB confirms.
pub(super) type WatchId = u32;
/// The number of a connection to RavenDB.
pub(super) type SocketId = u32;

/// Limits. Times are in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Limits {
    /// Number of changes and messages after which a listener is asked to acknowledge them.
    pub(super) ask: u32,
    /// Maximum changes and messages that a listener has not acknowledged.
    pub(super) lag: u32,
    /// Until a listener that is behind is dropped.
    pub(super) grace: u32,
    /// Without a message, until a listener gets an empty one.
    pub(super) quiet: u32,
    /// Without a message of RavenDB, until its connection is given up. It sends one at least every five seconds.
    pub(super) silence: u32,
    /// Until an attempt to connect is given up.
    pub(super) connect: u32,
    /// After a failed attempt, in which new listeners are refused without another one.
    pub(super) pause: u32,
}

impl Limits {
    /// Those of the hub. Clients give up a connection after 15 seconds of silence.
    pub(super) const HUB: Self = Self { ask: 32, lag: 256, grace: 30, quiet: 5, silence: 15, connect: 10, pause: 1 };
}

/// What the shell does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Effect {
    /// Opens a connection to RavenDB.
    Connect(SocketId),
    /// Closes it.
    Disconnect(SocketId),
    /// Sends RavenDB the command to begin a watch, or to end it.
    Watch { socket: SocketId, watch: WatchId, begins: bool },
    /// Begins a listener's connection.
    Accept(ListenerId),
    /// Refuses it: RavenDB cannot be reached.
    Refuse(ListenerId),
    /// Ends it.
    Drop(ListenerId),
    /// Confirms a listener's command.
    Confirm { listener: ListenerId, command: u64, asks: bool },
    /// Delivers changes, by their places in the message; an empty message says that the connection works.
    Deliver { listener: ListenerId, changes: Vec<u32>, asks: bool },
    /// Tells a listener that it may have missed changes.
    Resync { listener: ListenerId, asks: bool },
    /// The number of a watch means nothing any more.
    Forget(WatchId),
}
