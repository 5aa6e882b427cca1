//! The methods of a query that are not conditions, by their names: one table is smaller than a comparison for each.

macro_rules! words {
    ($($word:ident $name:literal,)*) => {
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub(super) enum Word {
            $($word,)*
            /// A condition, if anything.
            Other,
        }

        const NAMES: &[(&str, Word)] = &[$(($name, Word::$word),)*];
    };
}

words! {
    Collection "collection",
    Index "index",
    Raw "raw",
    Identity "identity",
    Skip "skip",
    Take "take",
    Wait "waitForNonStaleResults",
    NoCaching "noCaching",
    Timings "timings",
    AddParameter "addParameter",
    DefaultOperator "usingDefaultOperator",
    GroupBy "groupBy",
    GroupByArray "groupByArray",
    Include "include",
    OrderBy "orderBy",
    OrderByDescending "orderByDescending",
    OrderByScore "orderByScore",
    OrderByScoreDescending "orderByScoreDescending",
    RandomOrdering "randomOrdering",
    SelectFields "selectFields",
    Distinct "distinct",
    SelectKey "selectKey",
    SelectSum "selectSum",
    SelectCount "selectCount",
    Not "not",
    NegateNext "negateNext",
    AndAlso "andAlso",
    OrElse "orElse",
    Open "openSubclause",
    Close "closeSubclause",
    Intersect "intersect",
    Boost "boost",
    Fuzzy "fuzzy",
    Proximity "proximity",
}

pub(super) fn word(name: &[u8]) -> Word {
    NAMES.iter().find(|(known, _)| known.as_bytes() == name).map_or(Word::Other, |(_, word)| *word)
}
