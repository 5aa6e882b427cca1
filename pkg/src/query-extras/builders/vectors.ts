// Vector search: the field that is searched, and the value that it is compared with.

import { fail } from "../../common/error.js";
import type { VectorEmbeddingType } from "../../indexes/definition.js";

/** A vector inside of a document, as RavenDB stores it best: an array in a member of its own. */
export interface IRavenVector<T> extends Array<T> {}

/** Marks an array as a vector. */
export function RavenVector<T extends number>(vector: T[]): { "@vector": IRavenVector<T> } {
  return { "@vector": vector };
}

export interface IVectorOptions {
  /** How many candidates the server looks at; default: the server's, 16. */
  numberOfCandidates?: number;
  /** The similarity that results must have, from 0 to 1; default: the server's, 0. */
  similarity?: number;
  /** Whether all vectors are compared, and not only those that the index finds near; default `false`. */
  isExact?: boolean;
}

/** A field as vector search uses it. */
export interface IVectorField {
  readonly fieldName: string;
}

/** A field with vectors. */
export interface IVectorEmbeddingField extends IVectorField {
  /**
   * How the server makes the vectors smaller that it indexes.
   * @throws {RavenEdgeError} `InvalidOperation` for `"Text"`, and for vectors that are small already.
   */
  targetQuantization(target: VectorEmbeddingType): IVectorEmbeddingField;
}

/** A field with texts, of which the server makes vectors. */
export interface IVectorEmbeddingTextField extends IVectorField {
  /** How the vectors are stored. @throws {RavenEdgeError} `InvalidOperation` for `"Text"`. */
  targetQuantization(target: VectorEmbeddingType): IVectorEmbeddingTextField;
  /** The server's task that makes the vectors; default: the model inside of the server. */
  usingTask(embeddingsGenerationTaskIdentifier: string): IVectorEmbeddingTextField;
}

/** Chooses the field that is searched. */
export interface IVectorFieldFactory<Field extends string = string> {
  /** A field with texts. */
  withText(fieldName: Field): IVectorEmbeddingTextField;
  /** A field with vectors; `stored`: how they are stored, default `"Single"`. */
  withEmbedding(fieldName: Field, stored?: VectorEmbeddingType): IVectorEmbeddingField;
  /** A field with vectors in Base64. */
  withBase64(fieldName: Field, stored?: VectorEmbeddingType): IVectorEmbeddingField;
  /** A field that an index has as a vector. */
  withField(fieldName: Field): IVectorField;
}

/** Chooses the value that the field is compared with. */
export interface IVectorFieldValueFactory {
  byText(text: string, embeddingsGenerationTaskIdentifier?: string): void;
  byTexts(texts: string[], embeddingsGenerationTaskIdentifier?: string): void;
  byEmbedding(embedding: ArrayLike<number> | { "@vector": IRavenVector<number> }): void;
  byEmbeddings(embeddings: ArrayLike<number>[]): void;
  byBase64(embedding: string): void;
  /** The vectors of a document in the same field. */
  forDocument(id: string): void;
}

/** What is searched. */
export class VectorField implements IVectorEmbeddingField, IVectorEmbeddingTextField {
  task: string | undefined;

  constructor(
    readonly fieldName: string,
    readonly source: VectorEmbeddingType,
    public target = source,
  ) {}

  targetQuantization(target: VectorEmbeddingType): this {
    if (target === "Text") fail("InvalidOperation", "a vector cannot be made smaller to Text");
    const isSmall = this.source === "Int8" || this.source === "Binary";
    if (isSmall && target !== this.source)
      fail("InvalidOperation", `vectors that are ${this.source} cannot become ${target}`);
    this.target = target;
    return this;
  }

  usingTask(identifier: string): this {
    this.task = identifier;
    return this;
  }
}

export const FIELDS: IVectorFieldFactory = {
  withText: (name) => new VectorField(name, "Text", "Single"),
  withEmbedding: (name, stored = "Single") => new VectorField(name, stored),
  withBase64: (name, stored = "Single") => new VectorField(name, stored),
  withField: (name) => new VectorField(name, "Single"),
};

/** The value that a field is compared with. */
export interface VectorValue {
  value?: unknown;
  isDocument?: boolean;
  task?: string | undefined;
}

/** Sets the value that the app chooses. */
export function valueFactory(chosen: VectorValue): IVectorFieldValueFactory {
  const set = (value: unknown, task?: string): void => {
    Object.assign(chosen, { value, task });
  };
  return {
    byText: set,
    byTexts: set,
    byEmbedding: (value) => set(value),
    byEmbeddings: (values) => set(values),
    byBase64: (text) => set(text),
    forDocument(id) {
      set(id);
      chosen.isDocument = true;
    },
  };
}

/** A vector as JSON has it: `Float32Array` becomes a list. */
export function listed(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return Array.from(value as Float32Array);
  return Array.isArray(value) ? value.map(listed) : value;
}

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
