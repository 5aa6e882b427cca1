//! Attachments of documents: commands in a batch, single uploads and deletions, downloads.
//!
//! An attachment has the rights of its document: the level `attach` of the collection to store, delete, move and copy, the level
//! `readAttachments` to read, and the rows of the stored document for both. Contents pass piece by piece and are never held.

mod attachment_limits;
mod command;
mod content;
mod download;
mod multipart;
mod upload;
mod wasm_class;

#[cfg(test)]
mod tests;

pub(crate) use attachment_limits::AttachmentLimits;
pub(crate) use command::{Action, AttachmentCommand};
pub(crate) use download::{Download, named};
pub(crate) use upload::{Upload, is_upload_route};

/// The route of single attachments.
pub(crate) const ROUTE: &str = "attachments";
