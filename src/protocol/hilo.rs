//! Codes for issuing numbers: what the package reports of tasks, waiting callers, pages and their siblings, and what it does then.

table! {
    HILO;

    /// What the package reports to a task instead of an HTTP status, which is never below 100.
    reply: Number u16 {
        /// Nothing to report: begin, or continue after a pause.
        PROCEED = 0,
        /// No response arrived.
        UNREACHABLE = 1,
        /// No response arrived in time.
        LATE = 2,
        /// A move between memory and pool has finished, with the durability that it requires.
        MOVED = 3,
        /// The outcome of a move is unknown: its numbers are burnt.
        LOST = 4,
        /// No response arrived, and it is known that nothing was sent.
        UNSENT = 5,
    }

    /// What the package reports to a task of the core: [`Report`](crate::http::Report).
    report: Number u8 {
        /// Nothing to report: begin, or continue after a pause.
        PROCEED = 0,
        /// No response arrived.
        UNREACHABLE = 1,
        /// No response arrived in time.
        LATE = 2,
        /// No response arrived, and it is known that nothing was sent.
        UNSENT = 5,
        /// The status of the response means an outage.
        OUTAGE = 6,
        /// The status of the response means an outage, and it is known that the node has not carried out the request.
        GONE = 7,
        /// The response leads to another request.
        SEND = 8,
        /// Another client was faster, or the outcome is unknown: a request follows after a pause.
        AGAIN = 9,
        /// The response is an error.
        REFUSED = 10,
        /// The response is the result.
        DONE = 11,
    }

    /// What a task of the core waits for: [`Wait`](crate::hilo::Wait).
    wait: Number u64 {
        /// The response to its request: the node, and the time limit in milliseconds.
        SEND = 0,
        /// A pause, in milliseconds.
        PAUSE = 1,
        /// A move between memory and pool: the tag, and whether it must be durable before it counts.
        MOVE = 2,
        /// Nothing: it has ended.
        DONE = 3,
        /// Nothing: it has failed, unless `AGAIN` is reported.
        FAIL = 4,
    }

    /// What a task of the core is for: [`Purpose`](crate::hilo::Purpose).
    purpose: Number u64 {
        /// A lease: tag, the oldest texts that are needed, the texts of a proof, incarnation, the texts of the last lease, its size, an exact
        /// size, a number to be above, a nonce. 0 means none, each time.
        LEASE = 0,
        /// Reads counter documents to get fences: of each item tag and affixes.
        FENCES = 1,
        /// Returns numbers: of each item tag, texts, the highest number, the highest that stays used.
        RETURN = 2,
        /// Reads the topology.
        TOPOLOGY = 3,
        /// A move, the refill of a pool, or a request of the app.
        OTHER = 4,
    }

    /// Whether a request may be sent again after its response was lost: [`Repeat`](crate::http::Repeat).
    repeat: Number u8 {
        /// To any node, until the time limit.
        ANYWHERE = 0,
        /// Once to each node.
        EACH_NODE = 1,
        /// The same bytes to the same node.
        SAME_NODE = 2,
        /// Never.
        NEVER = 3,
    }

    /// What a caller of a tag waits for: [`Want`](crate::hilo::waiters::Want).
    want: Number u8 {
        /// An id.
        ID = 0,
        /// A reserve of numbers that outlive the page.
        NUMBERS = 1,
        /// A few parked numbers in memory.
        READY = 2,
    }

    /// What the package reports to waiting callers: [`Event`](crate::hilo::waiters::Event).
    event: Number u8 {
        /// The turn of the event loop is over.
        GATHERED = 0,
        /// A park has finished.
        PARKED = 1,
        /// A claim has finished.
        CLAIMED = 2,
        /// No sibling is leasing.
        TURNED = 3,
        /// Another task has ended.
        SHARED = 4,
        /// A lease has finished.
        LEASED = 5,
        /// The step has failed, and may succeed later.
        OUTAGE = 6,
        /// The step has failed, and must not be retried.
        FAILED = 7,
        /// A caller's time limit has passed.
        EXPIRED = 8,
        /// The store ends.
        CLOSED = 9,
        /// A caller got its id.
        SERVED = 10,
        /// All callers that could be served are served.
        SETTLED = 11,
        /// The counter is dry: it gets its next block if memory has one, else numbers are fetched.
        DRY = 12,
        /// The app's `take()` found the counter empty and will call again: it counts as waiting. From now on the counter has a
        /// number ahead of need.
        MISSED = 13,
        /// The caller of a forked group waits no longer: the group is removed.
        JOINED = 14,
        /// The app's `take()` got the last number of the counter: it is to have the next one ahead of need.
        TAKEN = 15,
    }

    /// The status of a tag, as a list of numbers: the positions in it.
    status: Number u32 {
        /// 1 while numbers for waiting callers are in flight, else 0.
        LEASING = 0,
        /// How many numbers are parked on the device, according to the last move; below 0: there is no pool.
        PARKED = 1,
        /// The ranges in memory beyond the counter's block: for each the lowest and the highest number. 0 follows the last one.
        TAIL = 2,
    }

    /// What the package does for waiting callers: [`Effect`](crate::hilo::waiters::Effect).
    effect: Number u8 {
        /// Serve a caller.
        SERVE = 0,
        /// Report `GATHERED` at the end of this turn of the event loop.
        GATHER = 1,
        /// Run a task, then report the event that is passed along.
        RUN = 2,
        /// Report `TURNED` when no sibling is leasing.
        TURN = 3,
        /// Report `SHARED` when another task has ended.
        SHARE = 4,
        /// The flight has ended.
        END = 5,
        /// Reject a caller with a timeout.
        EXPIRE = 6,
        /// Reject a caller with the last error.
        REFUSE = 7,
        /// Report `SETTLED` after the callers were served.
        SETTLE = 8,
    }

    /// What the package reports about a store's device to [`Presence`](crate::pool::Presence). The first three are also the messages
    /// between siblings.
    presence: Number u8 {
        /// A sibling has begun, and asks which others exist.
        HELLO = 0,
        /// A sibling responds to `HELLO`.
        HERE = 1,
        /// A sibling leaves.
        BYE = 2,
        /// The highest code of a message, and its mask: siblings cannot send the codes that follow.
        MESSAGE = 3,
        /// The store begins.
        BEGUN = 4,
        /// The page was shown or restored.
        BACK = 5,
        /// The page leaves.
        LEFT = 6,
        /// It must be known now which siblings exist.
        ASKED = 7,
        /// The time to respond to a question has passed.
        OVER = 8,
        /// The device's storage has failed.
        FAILED = 9,
        /// The store has ended.
        ENDED = 10,
        /// A lease waits for its turn among the siblings.
        TURN = 11,
    }

    /// What to do after such a report, as bits, in this order: [`Presence::on`](crate::pool::Presence::on).
    todo: Number u8 {
        /// Issue numbers again. [`Store`](crate::hilo::Store) does this.
        RESUME = 1,
        /// Empty memory, and return its numbers in a request that outlives the page.
        GIVE_BACK = 2,
        /// Send `HELLO` to the siblings, and listen to their messages from now on.
        HELLO = 4,
        /// Send `HERE`.
        HERE = 8,
        /// Send `BYE`, and ignore messages from now on.
        BYE = 16,
        /// Report `OVER` after the time that siblings have to respond.
        WAIT = 32,
        /// Park what memory has beyond the blocks in use. [`Store`](crate::hilo::Store) does this.
        PARK = 64,
    }

    /// The source of numbers, for the constructor of a store.
    source: Number u8 {
        /// RavenDB's leases.
        SERVER = 0,
        /// Counter documents that the client writes itself.
        DOCUMENT = 1,
        /// A function of the app that leases ranges.
        OWN = 2,
        /// A function of the app that returns the next Hi.
        CLASSIC = 3,
    }

    /// Limits.
    limit: Number u32 {
        /// The largest size of a range.
        RANGE = 1_048_576,
    }
}
