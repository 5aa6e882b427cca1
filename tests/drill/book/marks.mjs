// Marks: every change writes a text that occurs nowhere else, so that it is found again wherever it ends up.

/** A mark in a text: of a member of a document (`m`) or of an attachment, whose name it is (`a`). */
const MARK = /[am]~[a-z0-9]+~\d+~/g;

/** All marks in a text, each once. */
export const marksIn = (text) => [...new Set(text.match(MARK) ?? [])];

export const isAttachment = (mark) => mark.startsWith("a");
