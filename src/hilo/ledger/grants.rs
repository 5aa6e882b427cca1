//! Grants: whether the numbers of a grant may be used. The pool may have to admit them; numbers that are held or issued already mean
//! that the server has gone back in time.

use alloc::vec::Vec;

use super::{Effect, FlightKind, Hand, Lease, Ledger, Range};

impl Ledger {
    /// Later grants than this request's have arrived, so lower numbers in its grant do not mean that the server went back.
    pub fn overtake(&mut self, request: u32) {
        for flight in &mut self.flights {
            if let FlightKind::Lease { overtaken, .. } = &mut flight.kind {
                *overtaken |= flight.request == request;
            }
        }
    }

    pub(super) fn granted(&mut self, request: u32, lease: Lease, admit: bool, hand: Hand, out: &mut Vec<Effect>) {
        let Some(FlightKind::Lease { group, above, overtaken }) = self.finish_flight(request) else {
            out.push(Effect::Burnt { range: lease.range, lease: lease.id });
            return;
        };
        for flight in &mut self.flights {
            if let FlightKind::Lease { overtaken, .. } = &mut flight.kind {
                *overtaken = true;
            }
        }
        if let Some(highest) = self.conflict(&lease) {
            self.regressed(&lease, highest, overtaken, group, out);
        } else if admit {
            // Even if the grant will only be returned: among siblings it is parked instead, and parking does not compare.
            let request = self.start_flight(FlightKind::Admission { lease, group, above });
            out.push(Effect::Admit { request, lease: lease.id });
        } else {
            self.hold(lease, lease.range);
            self.hand(hand, out);
        }
    }

    pub(super) fn admitted(&mut self, request: u32, parked: Option<Range>, hand: Hand, out: &mut Vec<Effect>) {
        let lease = self.flights.iter().find_map(|flight| match flight.kind {
            FlightKind::Admission { lease, .. } if flight.request == request => Some(lease),
            _ => None,
        });
        let Some(lease) = lease else { return };
        let usable = self.finish_flight(request).is_some();
        let (below, above) = match parked {
            Some(parked) => (
                lease.range.split(parked.low().saturating_sub(lease.range.low())).0,
                lease.range.from(parked.high() + 1),
            ),
            None => (Some(lease.range), None),
        };
        for range in [below, above].into_iter().flatten() {
            if usable { self.hold(lease, range) } else { out.push(Effect::Burnt { range, lease: lease.id }) }
        }
        self.hand(hand, out);
    }

    pub(super) fn regressed(
        &mut self,
        lease: &Lease,
        highest: u64,
        overtaken: bool,
        group: u32,
        out: &mut Vec<Effect>,
    ) {
        let range = lease.range;
        out.push(if overtaken {
            Effect::Burnt { range, lease: lease.id }
        } else {
            Effect::Regression { range, highest }
        });
        // A grant starts above the requested number, so `highest` grows with each attempt and the loop ends.
        self.lease(group, highest, out);
    }

    /// If the grant overlaps numbers that are held or issued: the highest number known under its node tag.
    fn conflict(&self, lease: &Lease) -> Option<u64> {
        let node_of = |id| self.lease_of(id).map(|known| known.node);
        let held = || self.tail.iter().chain(&self.handed).filter(|held| node_of(held.lease) == Some(lease.node));
        let waiting = || {
            self.flights.iter().filter_map(|flight| match flight.kind {
                FlightKind::Admission { lease: other, .. } if other.node == lease.node => Some(other.range),
                _ => None,
            })
        };
        let issued = self.issued.iter().find(|(node, _)| *node == lease.node).map_or(0, |(_, highest)| *highest);
        let ranges = || held().map(|held| held.range).chain(waiting());
        let collides = lease.range.low() <= issued || ranges().any(|range| range.overlaps(lease.range));
        collides.then(|| ranges().map(Range::high).fold(issued, u64::max))
    }
}
