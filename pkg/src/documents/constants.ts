// Names of the server as programs for npm `ravendb` write them: `CONSTANTS.Documents.Metadata.INDEX_SCORE`.

/** Names of the server. */
export const CONSTANTS = {
  Documents: {
    Metadata: {
      KEY: "@metadata",
      ID: "@id",
      ID_PROPERTY: "id",
      COLLECTION: "@collection",
      CHANGE_VECTOR: "@change-vector",
      LAST_MODIFIED: "@last-modified",
      FLAGS: "@flags",
      CONFLICT: "@conflict",
      PROJECTION: "@projection",
      INDEX_SCORE: "@index-score",
      ATTACHMENTS: "@attachments",
      COUNTERS: "@counters",
      TIME_SERIES: "@timeseries",
      REVISION_COUNTERS: "@counters-snapshot",
      REVISION_TIME_SERIES: "@timeseries-snapshot",
      EXPIRES: "@expires",
      REFRESH: "@refresh",
      ARCHIVE_AT: "@archive-at",
      ARCHIVED: "@archived",
      RAVEN_JS_TYPE: "Raven-Node-Type",
      NESTED_OBJECT_TYPES: "@nested-object-types",
      NESTED_OBJECT_TYPES_PROJECTION_FIELD: "__PROJECTED_NESTED_OBJECT_TYPES__",
      ALL_DOCUMENTS_COLLECTION: "@all_docs",
      EMPTY_COLLECTION: "@empty",
    },
    Indexing: {
      Fields: {
        ALL_FIELDS: "__all_fields",
        DOCUMENT_ID_FIELD_NAME: "id()",
        SOURCE_DOCUMENT_ID_FIELD_NAME: "sourceDocId()",
        REDUCE_KEY_HASH_FIELD_NAME: "hash(key())",
        REDUCE_KEY_KEY_VALUE_FIELD_NAME: "key()",
        VALUE_FIELD_NAME: "value()",
        SPATIAL_SHAPE_FIELD_NAME: "spatial(shape)",
      },
      /** The default tolerance of spatial queries. */
      Spatial: { DEFAULT_DISTANCE_ERROR_PCT: 0.025 },
      SIDE_BY_SIDE_INDEX_NAME_PREFIX: "ReplacementOf/",
    },
    Querying: { SHARD_CONTEXT_PARAMETER_NAME: "__shardContext" },
  },
} as const;
