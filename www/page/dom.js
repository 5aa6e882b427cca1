// DOM helpers that the parts of the page share.

export const at = (id) => document.getElementById(id);

/** Creates an element with a class and a text. The text is never interpreted as markup. */
export function element(name, className = "", text = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}

/** Writes a text only if it has changed, so that a screen reader does not announce it twice. */
export function write(node, text) {
  if (node.textContent !== String(text)) node.textContent = text;
}

/** Shows that a button's action is running. The button stays enabled and keeps the focus. */
export function busy(button, is) {
  button.setAttribute("aria-busy", String(is));
}

export const count = (number) => number.toLocaleString("en");
