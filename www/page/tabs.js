// The tabs that show this page: a letter for each, what they say to each other, and which of them live.

const LOCK = "raven-edge demo, tab ";

const letterOf = (index) =>
  String.fromCharCode(65 + (index % 26)) + (index < 26 ? "" : Math.floor(index / 26));

export class Tabs {
  #channel;
  #said = "";
  #others = new Map();
  /** The letter of this tab. */
  letter;

  /**
   * Takes the lowest letter that no living tab has. A tab holds a Web Lock as long as it lives, so the browser itself tells
   * of its death, however sudden. `heard(message)` is called with what another one says.
   */
  static async open(database, heard) {
    const tabs = new Tabs();
    await navigator.locks.request("raven-edge demo, letters", async () => {
      const taken = await tabs.#living();
      for (let index = 0; tabs.letter === undefined; index++)
        if (!taken.has(letterOf(index))) tabs.letter = letterOf(index);
      await new Promise((held) => {
        navigator.locks.request(LOCK + tabs.letter, () => {
          held();
          return new Promise(() => {});
        });
      });
    });
    tabs.#channel = new BroadcastChannel(`raven-edge demo ${database}`);
    tabs.#channel.onmessage = ({ data }) => {
      tabs.#others.set(data.letter, data);
      if (data.hello) tabs.#repeat();
      heard(data);
    };
    return tabs;
  }

  /** Says what this tab has, if that is new; the first time all others answer. */
  say(state) {
    const message = { letter: this.letter, ...state };
    const text = JSON.stringify(message);
    if (text === this.#said) return false;
    this.#channel.postMessage({ ...message, hello: this.#said === "" });
    this.#said = text;
    return true;
  }

  #repeat() {
    if (this.#said) this.#channel.postMessage(JSON.parse(this.#said));
  }

  /** Forgets who has died; gives whether there was one. */
  async look() {
    const living = await this.#living();
    const dead = [...this.#others.keys()].filter((letter) => !living.has(letter));
    for (const letter of dead) this.#others.delete(letter);
    return dead.length > 0;
  }

  /** What the others have said last, by letter. */
  get others() {
    return [...this.#others.values()].sort((a, b) => (a.letter < b.letter ? -1 : 1));
  }

  async #living() {
    const { held } = await navigator.locks.query();
    const ours = held.map(({ name }) => name).filter((name) => name.startsWith(LOCK));
    return new Set(ours.map((name) => name.slice(LOCK.length)));
  }
}
