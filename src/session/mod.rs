//! The unit of work. Entities, their texts and what the server last said of them stay with JavaScript: a text that crosses the
//! border costs ten times one that stays, and WebAssembly's memory never shrinks.
