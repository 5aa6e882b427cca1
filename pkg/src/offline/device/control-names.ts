// Numbers by which the core knows names of the control record: nodes, incarnations, batch ids.

import type { Turn } from "./queue-state.js";

/** The number of a name, from 1 on; a new one is added. */
export function numberIn(names: string[], name: string): number {
  const at = names.indexOf(name);
  return at >= 0 ? at + 1 : names.push(name);
}

/** The number of a batch id in a receipt; 0: none of this queue. */
export function batchIn({ control, core }: Turn, batch: string): number {
  for (const [number, id] of Object.entries(control.ids)) if (id === batch) return Number(number);
  // A queue that has read no receipt yet takes what it finds.
  if (core.receipt() !== 0 || batch === "") return 0;
  const number = control.nextId++;
  control.ids[number] = batch;
  return number;
}
