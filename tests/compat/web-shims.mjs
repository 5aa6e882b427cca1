// What the program uses of Node, for platforms without it: bytes are `Uint8Array`, streams are those of the platform.

class Bytes extends Uint8Array {
  static from(given) {
    return new Bytes(typeof given === "string" ? new TextEncoder().encode(given) : [...given]);
  }

  static alloc(size, text) {
    const unit = text === undefined ? undefined : new TextEncoder().encode(text);
    const made = new Bytes(size);
    if (unit) for (let at = 0; at < size; at++) made[at] = unit[at % unit.length];
    return made;
  }

  static concat(chunks) {
    const made = new Bytes(chunks.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const chunk of chunks) {
      made.set(chunk, at);
      at += chunk.length;
    }
    return made;
  }

  toString() {
    return new TextDecoder().decode(this);
  }
}

export { Bytes as Buffer };

export const Readable = {
  from(chunks) {
    const left = [...chunks];
    return new ReadableStream({
      pull(controller) {
        if (left.length === 0) controller.close();
        else controller.enqueue(new Uint8Array(left.shift()));
      },
    });
  },
};

/** Of `node:http`: a platform without servers. */
export default {
  createServer() {
    throw new Error("this platform has no servers");
  },
};
