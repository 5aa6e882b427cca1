// What calls the Workers, and a client in Node.
import { DocumentStore } from "../../support/store.mjs";
import { actions, follow } from "./actions.js";

const ACTIONS = "save save save edit ids".split(" ");
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Several requests at a time to a Worker. */
export function callWorker({ worker, dice, shared, isOver, recorder, lanes = 3 }) {
  const lane = async () => {
    while (!isOver()) {
      const action = dice.chance(0.005) ? "trap" : dice.pick(ACTIONS);
      if (action === "trap") recorder.fault("WebAssembly trapped");
      try {
        const url = `${worker.url}/${action}?shared=${shared()}`;
        const response = await fetch(url, { signal: AbortSignal.timeout(20_000) });
        const text = await response.text();
        if (!response.ok) recorder.count(`worker ${text.split(":")[0]}`);
      } catch {
        recorder.count("worker gone");
        await pause(200);
      }
      await pause(100 + dice.below(600));
    }
  };
  return Promise.all(Array.from({ length: lanes }, lane));
}

/** A client in Node that disposes of its store now and then, which returns its numbers. */
export async function nodeClient({ url, who, dice, shared, isOver, recorder }) {
  let count = 0;
  const note = async (report) => recorder.take({ ...report, who });
  const tools = actions({
    note,
    below: dice.below,
    shared,
    mark: (letter) => `${letter}~${who}~${++count}~`,
  });
  while (!isOver()) {
    const store = new DocumentStore(url, "drill", { timeout: 4_000 });
    store.conventions.disableTopologyUpdates = true;
    store.initialize();
    const client = { store, seen: follow(store) };
    for (let turn = 5 + dice.below(30); turn > 0 && !isOver(); turn--) {
      await tools[dice.pick(ACTIONS)](client).catch((error) =>
        recorder.count(`error ${error.code ?? error.message}`),
      );
      await pause(100 + dice.below(800));
    }
    await store.dispose().catch((error) => recorder.count(`error ${error.code ?? error.message}`));
  }
}
