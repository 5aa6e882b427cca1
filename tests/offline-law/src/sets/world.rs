//! A state: server, device, tabs; and what the server says.

use super::configurations::{Broken, Budget, Configuration};
use raven_edge::offline::kept;
use raven_edge::offline::sets::Run;

/// Documents that may belong to the set.
pub(crate) const DOCUMENTS: usize = 2;
/// A bit for each document.
pub(crate) type Bits = u8;
pub(crate) type Kept = Result<(), String>;
type Vector = [[u32; 3]; 1];

pub(crate) const fn bit(document: usize) -> Bits {
    1 << document
}

/// Who sees a document: the caller, the caller while it belongs to the team, nobody that this model asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Owner {
    Mine,
    Team,
    Others,
}

/// A document of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Stored {
    pub(crate) version: u8,
    pub(crate) owner: Owner,
    /// Whether the query finds it.
    pub(crate) fits: bool,
}

/// A node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Node {
    pub(crate) documents: [Option<Stored>; DOCUMENTS],
    /// The documents as the index has seen them.
    pub(crate) index: [Option<Stored>; DOCUMENTS],
    /// The last change, deletions included; and the last one that the index has seen.
    pub(crate) changed: u8,
    pub(crate) indexed: u8,
}

/// What the gateway seals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ETag {
    number: u8,
    node: Node,
    claims: bool,
    incarnation: u8,
}

/// What the device has of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Has {
    Absent,
    /// With the version and the incarnation.
    There(u8, u8),
    /// With a text that the device has sent, which is that of this version; the version that the server has is not known.
    Sent(u8, u8),
    Forgotten,
    /// Of a response: there with the text of before, in another version.
    Touched,
}

/// What is kept, since which clock, and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Entry {
    pub(crate) at: u8,
    pub(crate) has: Has,
    pub(crate) user: u8,
}

/// What is durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Device {
    pub(crate) clock: u8,
    pub(crate) user: u8,
    pub(crate) incarnation: u8,
    pub(crate) kept: [Option<Entry>; DOCUMENTS],
    pub(crate) members: Bits,
    pub(crate) etag: Option<ETag>,
    /// Lost documents, and those that runs have added.
    pub(crate) disturbed: u8,
    pub(crate) is_complete: bool,
    /// Documents with pending changes.
    pub(crate) pending: Bits,
    /// Ghost: documents that must be there while the set is shown as complete.
    pub(crate) must: Bits,
    /// Ghost: their versions, at least.
    pub(crate) floor: [u8; DOCUMENTS],
    /// Ghost: documents with pending changes according to the app.
    pub(crate) queued: Bits,
    /// Ghost: the versions that this device has saved last.
    pub(crate) saved: [u8; DOCUMENTS],
}

/// What a bucket says; each document has its own. `None`: it does not differ.
pub(crate) type Listed = [Option<Option<u8>>; DOCUMENTS];

/// What a load finds of each document.
pub(crate) type Found = [Has; DOCUMENTS];

/// The versions of the set's documents on the device: what sums are over.
pub(crate) type Versions = [Option<Has>; DOCUMENTS];

/// One request for documents by their ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Load {
    Due,
    Asked {
        began: u8,
    },
    /// `in_set`: ghost, the documents that were found and in the set of every node at this moment.
    Read {
        began: u8,
        found: Found,
        incarnation: u8,
        in_set: Bits,
    },
    /// Written on the device.
    Done,
}

/// Where a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Phase {
    /// All documents are asked for, or arrive: those before `next` are written, each in a transaction of its own.
    All { load: Load, next: u8 },
    /// A comparison is asked for, with the sums of what the device has.
    Asked,
    /// The server has read its ETag.
    Probed(ETag),
    /// The server has read the results.
    Read { etag: Option<ETag>, listed: Listed, is_stale: bool, incarnation: u8 },
    /// The server says that nothing has changed.
    Same { incarnation: u8 },
    /// Documents are loaded.
    Loading { etag: Option<ETag>, load: Load },
}

/// A run of a tab.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Running {
    pub(crate) run: Run,
    pub(crate) user: u8,
    /// The node that it asks.
    pub(crate) node: u8,
    pub(crate) phase: Phase,
    /// What the device had when the sums were read: of members their versions, as sums have them.
    pub(crate) sums: Versions,
    /// The device's ETag at that time.
    pub(crate) etag: Option<ETag>,
    /// Whether the server has read its ETag for this comparison.
    pub(crate) etag_is_read: bool,
    /// What loads of this run have found.
    pub(crate) seen: [Option<Has>; DOCUMENTS],
    /// The same when the comparison came.
    pub(crate) had: [Option<Has>; DOCUMENTS],
    pub(crate) listed: Listed,
    /// Documents to load.
    pub(crate) wanted: Bits,
    /// Ghost: documents that were in the set of every node since the comparison began.
    pub(crate) always: Bits,
    /// Ghost: documents that were in the set of a node at a moment since.
    pub(crate) ever: Bits,
    /// Ghost: their versions then.
    pub(crate) least: [u8; DOCUMENTS],
}

/// A load of a session, or of a document that others have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Session {
    pub(crate) document: u8,
    pub(crate) load: Load,
    pub(crate) user: u8,
    /// Whether the page follows the set live: what is there belongs to the set.
    pub(crate) is_live: bool,
}

/// A batch of the queue that the server has saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Flight {
    pub(crate) document: u8,
    /// The clock when it was sealed, as the device has noted it; and as it was.
    pub(crate) began: u8,
    pub(crate) sealed: u8,
    pub(crate) user: u8,
    pub(crate) version: u8,
    /// Whether it has stored an attachment, and left the text.
    pub(crate) is_attachment: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct World {
    pub(crate) nodes: [Node; 2],
    pub(crate) version: u8,
    /// Whether the caller belongs to the team.
    pub(crate) claims: bool,
    pub(crate) incarnation: u8,
    pub(crate) device: Device,
    pub(crate) tabs: Vec<Option<Running>>,
    /// What the sums that a page keeps are over; `None`: others have written, and the next run reads what the device has.
    pub(crate) known: Vec<Option<Versions>>,
    pub(crate) session: Option<Session>,
    pub(crate) flight: Option<Flight>,
    /// The clock before the last batch was settled, for a device that seals the next one as of then.
    pub(crate) unsettled: Option<u8>,
    /// Ghost: for each version the one in which its text was written.
    pub(crate) texts: Vec<u8>,
    pub(crate) left: Budget,
}

/// A database that is restored from a backup has the same id.
fn vector(version: u8) -> Vector {
    [[1, 0, version.into()]]
}

impl Has {
    /// As the core has it.
    pub(crate) fn with<Result>(self, work: impl FnOnce(kept::State<'_>) -> Result) -> Result {
        match self {
            Has::Absent => work(kept::State::Absent),
            Has::Forgotten => work(kept::State::Forgotten),
            Has::There(version, _) => work(kept::State::There(&vector(version))),
            Has::Sent(..) => work(kept::State::There(&[])),
            Has::Touched => work(kept::State::Touched),
        }
    }

    /// The version that it has or had, if it is there.
    pub(crate) fn version(self) -> Option<u8> {
        match self {
            Has::There(version, _) | Has::Sent(version, _) => Some(version),
            _ => None,
        }
    }
}

impl Device {
    pub(crate) fn versions(&self) -> Versions {
        let is_member = |document: usize| self.members & bit(document) != 0;
        std::array::from_fn(|at| self.kept[at].filter(|_| is_member(at)).map(|entry| entry.has))
    }
}

impl World {
    pub(crate) fn new(configuration: &Configuration) -> World {
        let first = Stored { version: 1, owner: Owner::Team, fits: true };
        let node = Node { documents: [Some(first), None], index: [Some(first), None], changed: 1, indexed: 1 };
        World {
            nodes: [node; 2],
            version: 1,
            claims: true,
            incarnation: 1,
            device: Device { incarnation: 1, ..Device::default() },
            tabs: vec![None; configuration.tabs.into()],
            known: vec![None; configuration.tabs.into()],
            session: None,
            flight: None,
            unsettled: None,
            texts: vec![0, 1],
            left: configuration.faults,
        }
    }

    /// In which version the text of a version was written.
    fn text(&self, version: u8) -> u8 {
        self.texts.get(usize::from(version)).copied().unwrap_or(version)
    }

    pub(crate) fn sees(&self, stored: Stored) -> bool {
        stored.owner == Owner::Mine || stored.owner == Owner::Team && self.claims
    }

    /// The documents of the set on a node.
    pub(crate) fn set_of(&self, node: &Node) -> Bits {
        let is_in = |document: &usize| node.documents[*document].is_some_and(|one| one.fits && self.sees(one));
        (0..DOCUMENTS).filter(is_in).map(bit).fold(0, |all, one| all | one)
    }

    /// After each step of the server: what was in the set all the time.
    pub(crate) fn observe(&mut self) {
        let sets = self.nodes.map(|node| self.set_of(&node));
        let (all, any) = (sets[0] & sets[1], sets[0] | sets[1]);
        self.device.must &= all;
        for running in self.tabs.iter_mut().flatten() {
            running.always &= all;
            running.ever |= any;
        }
    }

    /// The ETag of a node for the caller.
    pub(crate) fn etag(&self, number: u8, configuration: &Configuration) -> ETag {
        let node = self.nodes[number as usize];
        let number = if configuration.broken == Some(Broken::ETagWithoutNode) { 0 } else { number };
        let claims = self.claims && configuration.broken != Some(Broken::ETagWithoutClaims);
        ETag { number, node, claims, incarnation: self.incarnation }
    }

    /// What a comparison says.
    pub(crate) fn compared(&self, running: &Running, configuration: &Configuration) -> (Listed, bool) {
        let node = &self.nodes[running.node as usize];
        let mut listed = Listed::default();
        for (document, differs) in listed.iter_mut().enumerate() {
            // An index finds what it has seen; the document that is judged and given is the newest.
            let fits =
                if configuration.index { node.index } else { node.documents }[document].is_some_and(|one| one.fits);
            let found = node.documents[document].filter(|_| fits);
            let shown = found.filter(|one| self.sees(*one)).map(|one| one.version);
            let summed =
                if configuration.broken == Some(Broken::SumsOverHidden) { found.map(|one| one.version) } else { shown };
            let summed = summed.map(|version| Has::There(version, self.incarnation));
            *differs = (summed != running.sums[document]).then_some(shown);
        }
        (listed, configuration.index && node.indexed != node.changed)
    }

    /// What a response with all documents has: those that the index finds.
    pub(crate) fn read_all(&self, node: u8, began: u8, configuration: &Configuration) -> Load {
        let Load::Read { found, incarnation, in_set, .. } = self.read(node, began) else { return Load::Due };
        let Node { documents, index, .. } = &self.nodes[node as usize];
        let indexed = if configuration.index { index } else { documents };
        let found =
            std::array::from_fn(|at| if indexed[at].is_some_and(|one| one.fits) { found[at] } else { Has::Absent });
        Load::Read { began, found, incarnation, in_set }
    }

    /// What a load finds now, and the documents that are in the set of every node.
    pub(crate) fn read(&self, node: u8, began: u8) -> Load {
        let found = self.nodes[node as usize].documents.map(|stored| {
            let stored = stored.filter(|one| self.sees(*one));
            stored.map_or(Has::Absent, |one| Has::There(one.version, self.incarnation))
        });
        let in_set = self.nodes.map(|node| self.set_of(&node)).into_iter().fold(!0, |all, one| all & one);
        Load::Read { began, found, incarnation: self.incarnation, in_set }
    }

    /// Invariants of every state.
    pub(crate) fn laws(&self) -> Kept {
        let device = &self.device;
        if device.pending != device.queued {
            return Err("a pending change is gone".into());
        }
        if device.kept.iter().flatten().any(|entry| entry.user != device.user) {
            return Err("a document of a user who has signed out is on the device".into());
        }
        for (entry, saved) in device.kept.iter().zip(device.saved) {
            let version = entry.and_then(|entry| entry.has.version());
            if version.is_some_and(|version| self.text(version) < self.text(saved)) {
                return Err("a text is shown that is older than what this device has saved".into());
            }
        }
        for document in (0..DOCUMENTS).filter(|document| device.is_complete && device.must & bit(*document) != 0) {
            let member = device.kept[document].filter(|_| device.members & bit(document) != 0);
            match member.and_then(|entry| entry.has.version()) {
                Some(version) if self.text(version) >= self.text(device.floor[document]) => {}
                Some(_) => return Err(format!("document {document} of a complete set becomes older")),
                _ => return Err(format!("the set is shown as complete and lacks document {document}")),
            }
        }
        Ok(())
    }

    /// The set is shown as complete from here on.
    pub(crate) fn completed(&mut self, running: &Running) -> Kept {
        let device = &mut self.device;
        (device.is_complete, device.must, device.floor) = (true, running.always, running.least);
        for document in (0..DOCUMENTS).filter(|document| device.members & bit(*document) != 0) {
            if running.ever & bit(document) == 0 {
                return Err(format!(
                    "document {document} is in a complete set, and was not the caller's since it began"
                ));
            }
        }
        for document in (0..DOCUMENTS).filter(|document| running.always & bit(*document) != 0) {
            let has = device.kept[document].map(|entry| entry.has);
            if let Some(Has::There(_, incarnation) | Has::Sent(_, incarnation)) = has
                && incarnation != self.incarnation
            {
                return Err(format!("document {document} of a complete set is that of another incarnation"));
            }
        }
        Ok(())
    }
}
