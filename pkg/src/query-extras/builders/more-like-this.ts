// Documents that are similar to another one.

import { AnyThis } from "../../common/any-this.js";
import { fail } from "../../common/error.js";
import { pascal } from "../../common/member-case.js";

/** Which terms of a document count. Defaults are the server's. */
export interface MoreLikeThisOptions {
  /** Terms that are less frequent in the document do not count; default 2. */
  minimumTermFrequency?: number;
  /** Default 25. */
  maximumQueryTerms?: number;
  /** Default 5,000. */
  maximumNumberOfTokensParsed?: number;
  /** In letters. */
  minimumWordLength?: number;
  /** In letters. */
  maximumWordLength?: number;
  /** Terms of fewer documents do not count; default 5. */
  minimumDocumentFrequency?: number;
  /** Terms of more documents do not count. */
  maximumDocumentFrequency?: number;
  /** Terms of more than this part of all documents do not count; 0 to 100. */
  maximumDocumentFrequencyPercentage?: number;
  /** Whether the terms are weighted by their score; default `false`. */
  boost?: boolean;
  boostFactor?: number;
  /** The id of a {@link MoreLikeThisStopWords}. */
  stopWordsDocumentId?: string;
  /** The fields that are compared; default: all. */
  fields?: string[];
}

/** Words that do not count, stored as a document. */
export class MoreLikeThisStopWords {
  declare id?: string;
  declare stopWords: string[];

  /** The document as RavenDB reads it. */
  toRemoteFieldNames(): object {
    return pascal({ ...this }) as object;
  }

  /** The options in JSON: as {@link toRemoteFieldNames} gives them. */
  toJSON(): object {
    return this.toRemoteFieldNames();
  }
}

/** What all kinds have. */
export abstract class MoreLikeThisBase {
  declare options: MoreLikeThisOptions | null | undefined;
}

/** Similar to all documents. */
export class MoreLikeThisUsingAnyDocument extends MoreLikeThisBase {}

/** Similar to a document that is not stored, given as JSON. */
export class MoreLikeThisUsingDocument extends MoreLikeThisBase {
  constructor(public documentJson: string) {
    super();
  }
}

/** Similar to the stored documents that conditions find. */
export class MoreLikeThisUsingDocumentForDocumentQuery<Query = unknown> extends MoreLikeThisBase {
  declare forDocumentQuery: (query: Query) => unknown;
}

/** The options, after the document is chosen. */
export interface IMoreLikeThisOperations {
  withOptions(options: MoreLikeThisOptions): IMoreLikeThisOperations;
}

/** Says to which document the results are similar. `Query`: takes the conditions that find it. */
export interface IMoreLikeThisBuilderForDocumentQuery<Query> {
  usingAnyDocument(): IMoreLikeThisOperations;
  /** A document that need not be stored, as JSON. */
  usingDocument(documentJson: string): IMoreLikeThisOperations;
  /** The stored documents that conditions find: `(query) => query.whereEquals("id()", "articles/1-A")`. */
  usingDocument(builder: (query: Query) => unknown): IMoreLikeThisOperations;
}

export class MoreLikeThisBuilder<Query = unknown>
  extends AnyThis
  implements IMoreLikeThisBuilderForDocumentQuery<Query>, IMoreLikeThisOperations
{
  #made: MoreLikeThisBase | undefined;

  usingAnyDocument(): this {
    this.#made = new MoreLikeThisUsingAnyDocument();
    return this;
  }

  usingDocument(given: string | ((query: Query) => unknown)): this {
    this.#made =
      typeof given === "string"
        ? new MoreLikeThisUsingDocument(given)
        : Object.assign(new MoreLikeThisUsingDocumentForDocumentQuery<Query>(), { forDocumentQuery: given });
    return this;
  }

  withOptions(options: MoreLikeThisOptions): this {
    this.getMoreLikeThis().options = options;
    return this;
  }

  /** @throws {RavenEdgeError} `InvalidArgument` before `usingDocument` or `usingAnyDocument`. */
  getMoreLikeThis(): MoreLikeThisBase {
    return (
      this.#made ?? fail("InvalidArgument", "moreLikeThis begins with usingDocument or usingAnyDocument")
    );
  }
}
