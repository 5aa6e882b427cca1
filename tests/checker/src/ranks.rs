//! Numbers of which only equality matters, such as change vectors.

/// The used ones, in ascending order. States that differ only in such numbers are equal once each is replaced by its rank.
pub struct Ranks(Vec<u8>);

impl Ranks {
    /// Of these numbers; 0 means none.
    pub fn of(mut used: Vec<u8>) -> Self {
        used.retain(|number| *number != 0);
        used.sort_unstable();
        used.dedup();
        Self(used)
    }

    /// 1 for the lowest number; 0 for 0.
    pub fn rank(&self, number: u8) -> u8 {
        self.0.iter().position(|used| *used == number).map_or(0, |at| at as u8 + 1)
    }

    /// How many there are, which is the highest rank.
    pub fn count(&self) -> u8 {
        self.0.len() as u8
    }
}
