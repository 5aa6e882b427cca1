//! RavenDB's hilo, document and batch routes over a small storage trait.
