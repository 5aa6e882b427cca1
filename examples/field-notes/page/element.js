// What all parts of the page share.

/** A part of the page that listens to the store while it is shown. */
export class Part extends HTMLElement {
  /** The functions that `store.watch` and `store.on` return: they end the listening. */
  stops = [];

  disconnectedCallback() {
    for (const stop of this.stops.splice(0)) stop();
  }
}

/** Makes an element: `element("a", { href: "#" }, "text", child)`. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  Object.assign(made, properties);
  made.append(...children.flat().filter((child) => child !== undefined && child !== false));
  return made;
}

/** A button that is disabled while its work is under way; `report` gets the error if the work fails. */
export function button(text, work, properties) {
  const onclick = () => during(made, work);
  const made = element("button", { type: "button", onclick, ...properties }, text);
  return made;
}

/** A form that does its work when it is submitted. */
export function form(work, properties, ...children) {
  const onsubmit = (event) => {
    event.preventDefault();
    during(made, work);
  };
  const made = element("form", { onsubmit, ...properties }, ...children);
  return made;
}

async function during(source, work) {
  source.ariaBusy = "true";
  try {
    await work(source);
  } catch (error) {
    // The app shows it: see app.js.
    source.dispatchEvent(new CustomEvent("failed", { detail: error, bubbles: true }));
  } finally {
    source.ariaBusy = null;
  }
}
