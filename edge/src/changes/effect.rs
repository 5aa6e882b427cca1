//! The numbers, limits and effects of the hub for changes.

use crate::prelude::*;

/// The number of a connection to the hub.
pub(super) type ListenerId = u32;
/// The number of a watched document, prefix or collection, from 1. It is not used again after the last listener has stopped
/// watching. It is therefore also the number of the command to RavenDB, which RavenDB's confirmation names.
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
    /// How long a listener may be behind before it is dropped.
    pub(super) grace: u32,
    /// After this time without a message a listener gets an empty message.
    pub(super) quiet: u32,
    /// After this time without a message of RavenDB the connection to it is given up. RavenDB sends one at least every five seconds.
    pub(super) silence: u32,
    /// How long an attempt to connect may take.
    pub(super) connect: u32,
    /// The time after a failed attempt to connect in which new listeners are refused without another attempt.
    pub(super) pause: u32,
}

impl Limits {
    /// Those of the hub. Clients give up a connection after 15 seconds of silence.
    pub(super) const HUB: Self = Self { ask: 32, lag: 256, grace: 30, quiet: 5, silence: 15, connect: 10, pause: 1 };
}

/// What the JavaScript around the hub (`pkg/src/hub/changes`) does.
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
    /// Sends a listener the changes at these places of RavenDB's message. Without places it gets an empty message, which shows that the
    /// connection works. `asks`: the listener is asked to acknowledge.
    Deliver { listener: ListenerId, changes: Vec<u32>, asks: bool },
    /// Tells a listener that it may have missed changes.
    Resync { listener: ListenerId, asks: bool },
    /// Forgets the number of a watch that nobody watches any more.
    Forget(WatchId),
}
