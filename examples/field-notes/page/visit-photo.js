// <visit-photo>: the photo of a visit, an attachment of its document.
import { element, Part } from "./element.js";

class VisitPhoto extends Part {
  #hash;

  connectedCallback() {
    this.stops.push(this.store.watch(this.visit, (visit) => this.#show(visit)));
  }

  async #show(visit) {
    const photo = visit?.["@metadata"]?.["@attachments"]?.find(({ name }) => name === "photo");
    if (photo?.hash === this.#hash) return;
    this.#hash = photo?.hash;
    try {
      const found = photo && (await this.store.openSession().advanced.attachments.get(this.visit, "photo"));
      if (!found) return this.replaceChildren();
      const src = URL.createObjectURL(await found.blob());
      this.replaceChildren(
        element("img", { src, alt: "Photo of this visit", onload: () => URL.revokeObjectURL(src) }),
      );
    } catch {
      // Attachments are not kept on the device.
      this.#hash = undefined;
      this.replaceChildren(element("p", { className: "quiet" }, "The photo needs a connection."));
    }
  }
}

customElements.define("visit-photo", VisitPhoto);
