// Makes vectors smaller, as RavenDB does it.

// biome-ignore lint/complexity/noStaticOnlyClass: as in npm `ravendb`
export class VectorQuantizer {
  /** Numbers from −127 to 127, and behind them the four bytes of the largest absolute value, as a 32-bit float, little-endian. */
  static toInt8(rawEmbedding: ArrayLike<number>): number[] {
    const numbers = Array.from(rawEmbedding);
    const most = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
    const factor = most === 0 ? 1 : 127 / most;
    const bytes = new DataView(new ArrayBuffer(4));
    bytes.setFloat32(0, most, true);
    return [
      ...numbers.map((number) => Math.round(number * factor)),
      ...[0, 1, 2, 3].map((at) => bytes.getInt8(at)),
    ];
  }

  /** One bit for each number, 1 if it is not negative; eight of them in a byte, the first one in its highest bit. */
  static toInt1(rawEmbedding: ArrayLike<number>): number[] {
    const bytes = new Array<number>(Math.ceil(rawEmbedding.length / 8)).fill(0);
    Array.from(rawEmbedding).forEach((number, at) => {
      if (number >= 0) bytes[at >> 3] = (bytes[at >> 3] as number) | (128 >> (at & 7));
    });
    return bytes;
  }
}
