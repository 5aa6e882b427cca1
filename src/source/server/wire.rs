//! The exact texts of lease and return, shared by client, authority and gateway.

/// The script of a fenced return: the only PATCH that the authority runs and the gateway lets through.
///
/// It lowers `Max` only while the document is in the very state in which the lease left it, so that
/// every further delivery of the same return answers `NotModified`.
pub const RETURN_SCRIPT: &str = "if (getMetadata(this)[\"@change-vector\"] === args.fence && this.Max === args.high) this.Max = args.last";

/// Id prefix of the counter documents: `Raven/Hilo/<tag>`.
pub const HILO_PREFIX: &str = "Raven/Hilo/";
