// The tabs that show this page: their letters, their messages, and which of them are alive.

const LOCK = "raven-edge demo, tab ";

const letterOf = (index) =>
  String.fromCharCode(65 + (index % 26)) + (index < 26 ? "" : Math.floor(index / 26));

export class Tabs {
  #channel;
  #lastSent = "";
  #others = new Map();
  /** The letter of this tab. */
  letter;

  /**
   * Takes the lowest letter that no living tab has. Each tab holds a Web Lock, so the browser reports its death,
   * however sudden. Calls `onMessage(message)` for each message of another tab.
   */
  static async open(database, onMessage) {
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
      onMessage(data);
    };
    return tabs;
  }

  /** Sends this tab's state to the others if it has changed. The first message makes all others respond. */
  say(state) {
    const message = { letter: this.letter, ...state };
    const text = JSON.stringify(message);
    if (text === this.#lastSent) return false;
    this.#channel.postMessage({ ...message, hello: this.#lastSent === "" });
    this.#lastSent = text;
    return true;
  }

  #repeat() {
    if (this.#lastSent) this.#channel.postMessage(JSON.parse(this.#lastSent));
  }

  /** Forgets tabs that have died; returns whether there were any. */
  async look() {
    const living = await this.#living();
    const dead = [...this.#others.keys()].filter((letter) => !living.has(letter));
    for (const letter of dead) this.#others.delete(letter);
    return dead.length > 0;
  }

  /** The last message of each other tab, by letter. */
  get others() {
    return [...this.#others.values()].sort((a, b) => (a.letter < b.letter ? -1 : 1));
  }

  async #living() {
    const { held } = await navigator.locks.query();
    const ours = held.map(({ name }) => name).filter((name) => name.startsWith(LOCK));
    return new Set(ours.map((name) => name.slice(LOCK.length)));
  }
}
