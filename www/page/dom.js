// The few words of DOM that the parts of the page share.

export const at = (id) => document.getElementById(id);

/** An element with a class and a text. Text is never markup here. */
export function element(name, className = "", text = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}

/** Writes a text only when it differs, so that a screen reader is not told twice. */
export function write(node, text) {
  if (node.textContent !== String(text)) node.textContent = text;
}

/** Shows that a button works on something. It stays enabled and keeps the focus. */
export function busy(button, is) {
  button.setAttribute("aria-busy", String(is));
}

export const count = (number) => number.toLocaleString("en");
