//! What a query gives of its documents.

use alloc::string::String;
use alloc::vec::Vec;

use super::calls::Call;
use super::field::{self, Names};
use super::word::Word;
use super::{misplaced, push_list};
use crate::error::Error;

#[derive(Default)]
pub(super) struct Select {
    distinct: bool,
    /// The fields that the app has chosen.
    fields: Vec<String>,
    /// What is shown of groups.
    items: Vec<String>,
}

impl Select {
    pub(super) fn apply(&mut self, call: &Call<'_>, names: &Names<'_>) -> Result<(), Error> {
        match call.word {
            Word::Distinct if self.distinct => return Err(misplaced("this is a distinct query already")),
            Word::Distinct => self.distinct = true,
            // Pairs: a field, and what results call it; a function of the app's own has no name.
            Word::SelectFields => {
                for at in (0..call.len()).step_by(2) {
                    let field = call.text(at)?;
                    let name = call.optional_text(at + 1)?;
                    let is_function = name.is_empty();
                    self.fields.push(if is_function { field.into() } else { aliased(names.name(&field), &name) });
                }
            }
            _ => {
                let key = call.word == Word::SelectKey;
                let sum = call.word == Word::SelectSum;
                let item = match call.optional_text(0)? {
                    given if given.is_empty() && sum => return Err(misplaced("selectSum takes a field")),
                    given if given.is_empty() => String::from(if key { "key()" } else { "count()" }),
                    given if sum => ["sum(", &field::alias(&given), ")"].concat(),
                    given => field::alias(&given),
                };
                let shown = call.optional_text(1)?;
                self.items.push(if shown.is_empty() || shown == item { item } else { named(item, &shown, key) });
            }
        }
        Ok(())
    }

    pub(super) fn push(&self, text: &mut String) {
        let before = if self.distinct { " select distinct " } else { " select " };
        if self.items.is_empty() && self.fields.is_empty() {
            text.push_str(if self.distinct { " select distinct *" } else { "" });
            return;
        }
        push_list(text, before, &self.items, ", ");
        push_list(text, if self.items.is_empty() { before } else { ", " }, &self.fields, ", ");
    }
}

/// Whether a call chooses a field whose name has to be quoted.
pub(super) fn wants_name(call: &Call<'_>) -> bool {
    call.word == Word::SelectFields
        && call.value(1) != b"null"
        && (0..call.len()).any(|at| call.text(at).is_ok_and(|name| Names::default().name(&name).starts_with('\'')))
}

/// A field, with the name that the app calls it by where RQL calls it otherwise.
fn aliased(field: String, name: &str) -> String {
    if field == name { field } else { named(field, name, false) }
}

fn named(item: String, name: &str, quoted: bool) -> String {
    let name = if quoted || name.starts_with('\'') { field::quoted(name) } else { field::alias(name) };
    [&item, " as ", &name].concat()
}
