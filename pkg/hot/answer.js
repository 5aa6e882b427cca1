// The answer to a load or a save. It stays here, and Rust looks at it through a small window, because WebAssembly memory
// never shrinks; what Rust finds in it becomes objects when Rust is not on the stack.

const NOTHING = new Uint8Array();
const decoder = new TextDecoder();

export class Answer {
  #bytes = NOTHING;
  #parts = [];

  /** Takes an answer's bytes, or lets them go; gives what goes into WebAssembly in their place. */
  take(bytes = NOTHING) {
    // What an answer kept that was given up in the middle belongs to nobody.
    if (bytes !== NOTHING) this.#parts = [];
    this.#bytes = bytes;
    return NOTHING;
  }

  get length() {
    return this.#bytes.length;
  }

  /** All of it. */
  get text() {
    return decoder.decode(this.#bytes);
  }

  copy(at, memory) {
    memory.set(this.#bytes.subarray(at, at + memory.length));
  }

  /** See `Answer::keep` in `wasm/src/session.rs`. */
  keep(places, base, count, included) {
    const texts = [];
    for (let at = 0; at < places.length; at += 2) texts.push(this.#text(places[at], places[at + 1]));
    this.#parts.push({ text: included ? `[${texts}]` : texts[0], base, count, included });
  }

  /** See `Answer::rest` in `wasm/src/session.rs`. */
  rest(places) {
    let text = "";
    for (let at = 0; at < places.length; at += 2)
      text += `${text && "null"}${this.#text(places[at], places[at + 1])}`;
    this.#parts.at(-1).rest = text;
  }

  #text(from, to) {
    return decoder.decode(this.#bytes.subarray(from, to));
  }

  /** What was kept; `rest` of a part is what its answer says beside its documents. RavenDB may store what is no JSON (`1.`): then there is nothing at all. */
  documents() {
    const parts = this.#parts.splice(0);
    return parts.map(({ text, ...part }) => ({ documents: (text && JSON.parse(text)) || [], ...part }));
  }
}
