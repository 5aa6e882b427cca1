// Lists by the slots of documents.

/**
 * An empty list with one value per slot. V8 compiles code for the kind of a list: packed lists become lists with holes when their
 * length is set ahead of their values, and what was compiled for the former is thrown away. These have holes from the start.
 */
export function slotList<Value>(): Value[] {
  const list: unknown[] = [undefined];
  list.length = 2;
  list.length = 0;
  return list as Value[];
}
