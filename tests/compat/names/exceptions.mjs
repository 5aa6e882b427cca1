// Calls that may come to something else than with npm `ravendb`. `row`: where docs/differences.md or docs/moving-names.md says so, by the
// text of that row.

/** `npm`: how the call ends there, instead of which call it is. */
export const EXCEPTIONS = [
  { row: "arguments that make no sense", npm: /throws (TypeError|SyntaxError)/ },
  { row: "`SessionOptions`", calls: /openSession\({(requestExecutor|shardedBatchBehavior)/ },
  { row: "`advanced.transactionMode`", calls: /^session\.advanced\.transactionMode$/ },
  { row: "several fields by `selectFields`; `selectTimeSeries`", calls: /^query\.selectTimeSeries\(/ },
  { row: "`openSubclause` without `closeSubclause`", calls: /\.(open|close)Subclause\(/ },
  { row: "`whereNotEquals(…, true)`", calls: /^query\.whereNotEquals\(.*true\)/ },
  { row: "`collections` of index statistics", calls: /^new GetIndex(es)?StatisticsOperation/ },
  { row: "`isMapReduce` of a JavaScript index", calls: /JavaScript.*\.isMapReduce$/ },
  {
    row: "`sourceType` of an `AbstractMultiMap",
    calls: /^AbstractMultiMapTimeSeries\w+\.createIndexDefinition/,
  },
  { row: "`QueryData` with `fromAlias`", calls: /^new QueryData\(.*"name", \[/ },
  { row: "`get(from, to, start, pageSize)`", calls: /^ISessionDocument\w*TimeSeries\.get\(.*}, 1/ },
  { row: 'without `transactionMode: "ClusterWide"`', calls: /^new \w+CompareExchangeCommandData/ },
  {
    row: "`type` of a `DeleteCompareExchangeCommandData`",
    calls: /^DeleteCompareExchangeCommandData\.type$/,
  },
  { row: "`GetRevisionsOperation`", calls: /^new GetRevisionsOperation/ },
  { row: "`createForRevisions` with `includes`", calls: /createForRevisions\(.*includes/ },
  { row: "`load` with `includeCounter(path, name)`", calls: /^IncludeBuilder\.includeCounters?\("name", / },
];

/** Calls that are not made: a short bulk insert has no progress (`program/bulk-insert.ts` has). */
export const UNCALLED = [/^BulkInsertOnProgressEventArgs/];
