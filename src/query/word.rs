//! The methods of a query that are not conditions, by their names: one text is smaller than a comparison for each.

macro_rules! words {
    ($($word:ident $name:literal,)*) => {
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub(super) enum Word {
            $($word,)*
            /// A condition, if anything.
            Other,
        }

        /// All names, a blank behind each; a table of them would be twice as long.
        const NAMES: &str = concat!($($name, " ",)*);

        const WORDS: &[Word] = &[$(Word::$word,)*];
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
    Check "check",
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
    let at = NAMES.as_bytes().split(|byte| *byte == b' ').position(|known| known == name);
    at.and_then(|at| WORDS.get(at)).copied().unwrap_or(Word::Other)
}
