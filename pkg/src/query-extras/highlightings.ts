// What the response has beside documents: fragments with highlighted terms, and explanations of scores.

import { AnyThis } from "../common/any-this.js";

/** How fragments are marked. */
export interface HighlightingOptions {
  /** For results of a map-reduce index: the field that identifies a result. */
  groupKey?: string;
  /** What is put before a term; default `<b style="background:yellow">` and other colors. */
  preTags?: string[];
  /** What is put behind a term; default `</b>`. */
  postTags?: string[];
}

/** What is highlighted. */
export interface HighlightingParameters extends HighlightingOptions {
  /** The field that is searched. */
  fieldName: string;
  /** The maximum number of characters of a fragment. */
  fragmentLength: number;
  /** The maximum number of fragments of a document. */
  fragmentCount: number;
}

/** The fragments of a field, by document; filled when the response is there. */
export class Highlightings extends AnyThis {
  #fragments = new Map<string, string[]>();

  constructor(readonly fieldName: string) {
    super();
  }

  /** The ids of documents with fragments, or the values of `groupKey`. */
  get resultIndents(): string[] {
    return [...this.#fragments.keys()];
  }

  /** The fragments of a document; empty if there are none. `key`: its id, or the value of `groupKey`. */
  getFragments(key: string): string[] {
    return this.#fragments.get(key) ?? [];
  }

  /** @internal */
  update(all: Record<string, Record<string, string[]>> | null | undefined): void {
    this.#fragments = new Map(Object.entries(all?.[this.fieldName] ?? {}));
  }
}

export interface ExplanationOptions {
  /** For results of a map-reduce index: the field that identifies a result. */
  groupKey: string;
}

/** Why documents have their scores; filled when the response is there. */
export class Explanations {
  /** By the ids of documents, or by the values of `groupKey`. */
  explanations: { [key: string]: string[] } | undefined;
}
