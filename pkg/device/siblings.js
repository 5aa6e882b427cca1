// Which other stores of a database live on this origin, in this tab or in others. A hint for who may hold numbers in memory;
// nothing that is unsafe depends on it.

/** How long to wait for an answer of somebody unheard of, in milliseconds. */
const PATIENCE = 60;

export class Siblings {
  #name = Math.random();
  #others = new Set();
  #channel;
  #home;
  #changed;
  /** What each question that is open has heard. */
  #questions = new Set();

  /** `home`: the database, others share no numbers; `changed` is called when the first one comes or the last one goes. */
  constructor(home, changed) {
    this.#home = home;
    this.#changed = changed;
  }

  get crowded() {
    return this.#others.size > 0;
  }

  open() {
    if (this.#channel) return;
    try {
      this.#channel = new BroadcastChannel(`raven-edge ${this.#home}`);
    } catch {
      // There is none, or Firefox refuses it where a site may not store anything.
      return;
    }
    this.#channel.onmessage = ({ data: [kind, name] }) => {
      const before = this.crowded;
      if (kind === "bye") this.#others.delete(name);
      else {
        this.#others.add(name);
        for (const heard of this.#questions) heard.add(name);
      }
      if (kind === "hello") this.#say("here");
      if (this.crowded !== before) this.#changed();
    };
    this.#say("hello");
  }

  /** A page in the back/forward cache must not keep a channel open. */
  close() {
    this.#say("bye");
    this.#channel?.close();
    this.#channel = undefined;
    this.#others.clear();
  }

  /** Whether somebody else lives now: a sibling that crashed does not answer. */
  async any() {
    const before = this.crowded;
    const heard = new Set();
    this.#questions.add(heard);
    this.#say("hello");
    await new Promise((resolve) => setTimeout(resolve, PATIENCE));
    this.#questions.delete(heard);
    if (!this.#channel) return false;
    this.#others = heard;
    if (this.crowded !== before) this.#changed();
    return this.crowded;
  }

  #say(kind) {
    this.#channel?.postMessage([kind, this.#name]);
  }
}
