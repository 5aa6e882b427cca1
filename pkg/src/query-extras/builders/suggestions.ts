// Suggestions: terms of an index that are similar to what a user has typed.

import { AnyThis } from "../../common/any-this.js";
import { fail } from "../../common/error.js";

/** How the similarity of terms is measured; the default is `"Levenshtein"`. */
export type StringDistanceTypes = "None" | "Default" | "Levenshtein" | "JaroWinkler" | "NGram";

/** The order of suggestions: none (the default), or the most frequent first. */
export type SuggestionSortMode = "None" | "Popularity";

export interface SuggestionOptions {
  /** The maximum number of suggestions; default 15. */
  pageSize: number;
  distance: StringDistanceTypes;
  /** The similarity that a suggestion must have, from 0 to 1; default 0.5. */
  accuracy: number;
  sortMode: SuggestionSortMode;
}

/** What is suggested for a field. */
export interface SuggestionResult {
  /** The display name of the suggestion, or its field. */
  name: string;
  suggestions: string[];
}

/** Suggestions by their names. */
export interface SuggestionsResponseObject {
  [name: string]: SuggestionResult;
}

/** What all suggestions have. */
export abstract class SuggestionBase {
  /** The name in results; default: the field. */
  declare displayField: string | null | undefined;
  declare options: Partial<SuggestionOptions> | null | undefined;

  constructor(public field: string) {}
}

/** Suggestions for one term. */
export class SuggestionWithTerm extends SuggestionBase {
  declare term: string;
}

/** Suggestions for several terms. */
export class SuggestionWithTerms extends SuggestionBase {
  declare terms: string[];
}

/** Says which terms are similar. */
export interface ISuggestionBuilder<T> {
  byField(fieldName: string, term: string): ISuggestionOperations<T>;
  byField(fieldName: string, terms: string[]): ISuggestionOperations<T>;
}

/** The methods of a suggestion after its field. */
export interface ISuggestionOperations<T> {
  /** The name in results. */
  withDisplayName(displayName: string): ISuggestionOperations<T>;
  withOptions(options: Partial<SuggestionOptions>): ISuggestionOperations<T>;
}

export class SuggestionBuilder<T = unknown>
  extends AnyThis
  implements ISuggestionBuilder<T>, ISuggestionOperations<T>
{
  #suggestion: SuggestionWithTerm | SuggestionWithTerms | undefined;

  byField(fieldName: string, given: string | string[]): this {
    if (!fieldName) fail("InvalidArgument", "byField takes the name of a field");
    if (!given || given.length === 0) fail("InvalidArgument", "byField takes a term, or several");
    this.#suggestion = Array.isArray(given)
      ? Object.assign(new SuggestionWithTerms(fieldName), { terms: given })
      : Object.assign(new SuggestionWithTerm(fieldName), { term: given });
    return this;
  }

  withDisplayName(displayName: string): this {
    this.suggestion.displayField = displayName;
    return this;
  }

  withOptions(options: Partial<SuggestionOptions>): this {
    this.suggestion.options = options;
    return this;
  }

  /** @throws {RavenEdgeError} `InvalidArgument` before `byField`. */
  get suggestion(): SuggestionBase {
    return this.#suggestion ?? fail("InvalidArgument", "a suggestion begins with byField");
  }
}
