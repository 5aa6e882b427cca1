//! What a query gives of its documents.

use alloc::string::String;
use alloc::vec::Vec;

use super::calls::Call;
use super::word::Word;
use super::{field, misplaced, push_list};
use crate::error::Error;

/// The classes of values inside, so that dates and sets come back as what they were.
const NESTED: &str = "@metadata.@nested-object-types as __PROJECTED_NESTED_OBJECT_TYPES__";

#[derive(Default)]
pub(super) struct Select {
    distinct: bool,
    /// The fields that the app has chosen.
    fields: Vec<String>,
    /// What is shown of groups.
    items: Vec<String>,
}

impl Select {
    pub(super) fn apply(&mut self, call: &Call<'_>, identity: &str) -> Result<(), Error> {
        match call.word {
            Word::Distinct if self.distinct => return Err(misplaced("this is a distinct query already")),
            Word::Distinct => self.distinct = true,
            Word::SelectFields => {
                self.fields.clear();
                for number in 0..call.len() {
                    let name = call.text(number)?;
                    self.fields.push(aliased(field::name(&name, identity), &name));
                }
                self.fields.push(String::from(NESTED));
            }
            _ => {
                let key = call.word == Word::SelectKey;
                let sum = call.word == Word::SelectSum;
                let item = match call.optional_text(0)? {
                    given if given.is_empty() && sum => return Err(misplaced("selectSum takes a field")),
                    given if given.is_empty() => String::from(if key { "key()" } else { "count()" }),
                    given if sum => ["sum(", &field::name(&given, ""), ")"].concat(),
                    given => field::name(&given, ""),
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

/// A field, with the name that the app calls it by where RQL calls it otherwise.
fn aliased(field: String, name: &str) -> String {
    if field == name || field.starts_with('\'') { field } else { named(field, name, false) }
}

fn named(item: String, name: &str, quoted: bool) -> String {
    [&item, " as ", &if quoted { field::quoted(name) } else { field::alias(name) }].concat()
}
