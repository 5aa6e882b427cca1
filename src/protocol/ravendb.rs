//! Names that RavenDB knows: members of metadata, ids, headers, paths.

table! {
    RAVENDB;

    /// Names of the members of a document's metadata.
    metadata: Text &str {
        /// The member of a document that contains the metadata.
        MEMBER = "@metadata",
        /// The id of the document.
        ID = "@id",
        /// Its change vector.
        CHANGE_VECTOR = "@change-vector",
        /// The time of the last change.
        LAST_MODIFIED = "@last-modified",
        /// The collection.
        COLLECTION = "@collection",
        /// Flags: whether the document has attachments, counters, revisions.
        FLAGS = "@flags",
        /// Its sequence number in the storage of a node.
        ETAG = "@etag",
        /// Its score in a query.
        INDEX_SCORE = "@index-score",
        /// Set on a query result that is a projection and not the stored document.
        PROJECTION = "@projection",
        /// The names of its counters.
        COUNTERS = "@counters",
        /// The name of the entity's class, from which npm `ravendb` recreates an instance.
        CLASS = "Raven-Node-Type",
        /// The classes of values inside the entity, by path.
        NESTED = "@nested-object-types",
    }

    /// Prefixes of the ids of the server's own documents.
    prefix: Text &str {
        /// Prefix of the counter documents of HiLo tags.
        HILO = "Raven/Hilo/",
    }

    /// Lists of names.
    list: List &[&str] {
        /// Metadata that the server generates, whatever a client sends.
        METADATA = &[
            super::metadata::ID,
            super::metadata::CHANGE_VECTOR,
            super::metadata::LAST_MODIFIED,
            super::metadata::FLAGS,
            super::metadata::ETAG,
            super::metadata::INDEX_SCORE,
            super::metadata::COUNTERS,
        ],
        /// Prefixes of counter documents' ids for the source `document`, before the slash: the current one, and those of older
        /// clients. The constructor of a store takes an index into this list.
        SPELLINGS = &["Raven/Hilo", "Raven/HiLo", "Replication/HiLo"],
        /// Members whose differences `whatChanged` ignores, as in npm `ravendb`.
        UNCOMPARED = &[
            super::metadata::LAST_MODIFIED,
            super::metadata::COLLECTION,
            super::metadata::CHANGE_VECTOR,
            super::metadata::ID,
            super::metadata::MEMBER,
        ],
        /// The names of the sources in the options of a store.
        SOURCES = &["server", "document", "own", "classic"],
    }

    /// HTTP headers.
    header: Text &str {
        /// Response: the incarnation of the database.
        INCARNATION = "Database-Cluster-Tx-Id",
        /// Response: the list of nodes has changed.
        REFRESH_TOPOLOGY = "Refresh-Topology",
        /// Response: the server's settings for clients have changed.
        REFRESH_CONFIGURATION = "Refresh-Client-Configuration",
        /// Request: the version of the client's list of nodes.
        TOPOLOGY_ETAG = "Topology-Etag",
        /// Request: the version of the client's settings.
        CONFIGURATION_ETAG = "Client-Configuration-Etag",
        /// Request: the version of RavenDB's clients whose behaviour this client has.
        CLIENT_VERSION = "Raven-Client-Version",
        /// Request: the change vector that the document must have.
        IF_MATCH = "If-Match",
        /// Request: the change vector of the client's copy.
        IF_NONE_MATCH = "If-None-Match",
        /// Response: the change vector.
        ETAG = "ETag",
    }

    /// Paths of the server, and routes of a database, which follow `/databases/<name>/`.
    path: Text &str {
        /// The prefix of all databases' routes.
        DATABASES = "/databases/",
        /// The topology: the nodes of a database.
        TOPOLOGY = "/topology",
        /// Documents by id or prefix.
        DOCS = "docs",
        /// A batch of commands.
        BATCH = "bulk_docs",
        /// Several requests in one.
        SEVERAL = "multi_get",
        /// Queries.
        QUERIES = "queries",
        /// Leases.
        LEASE = "hilo/next",
        /// Unfenced returns, which this client never sends.
        RETURN = "hilo/return",
    }
}
