// The query of a new subscription.

import { type IncludeCall, isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import type { DocumentType, ObjectTypeDescriptor } from "../documents/entity-types.js";
import { quoted } from "../rql/names-and-parameters.js";
import { rqlOfSubscription } from "../time-series/session/included-series.js";
import type { ISubscriptionIncludeBuilder, SubscriptionCreationOptions } from "./subscription-types.js";

/** The conventions that name the collection of a class. */
interface Conventions {
  classOf(type: DocumentType | null | undefined): ObjectTypeDescriptor | undefined;
  getCollectionNameForType(type: ObjectTypeDescriptor): string;
}

/** Options, or a class, as options with the text of the query. */
export function withQuery(
  given: SubscriptionCreationOptions | DocumentType,
  isForRevisions: boolean,
  conventions: Conventions,
): SubscriptionCreationOptions {
  const isType = !isObject(given) || "isType" in given;
  const options: SubscriptionCreationOptions = isType ? { documentType: given as DocumentType } : given;
  const { includes, documentType, ...rest } = options;
  let { query } = rest;
  if (!query) {
    const type =
      conventions.classOf(documentType) ??
      fail("InvalidArgument", "a subscription needs a query, or the documentType whose documents it sends");
    const revisions = isForRevisions ? " (Revisions = true)" : "";
    query = `from ${quoted(conventions.getCollectionNameForType(type))}${revisions} as doc`;
  }
  const included = includes ? listed(includes) : [];
  return { ...rest, query: query + (included.length > 0 ? `\ninclude ${included.join()}` : "") };
}

function listed(includes: (builder: ISubscriptionIncludeBuilder) => void): string[] {
  const found = new Set<string>();
  const counter = (name: string) => {
    if (!name?.trim?.()) fail("InvalidArgument", "the name of an included counter is not blank");
    found.add(`counters(${quoted(name)})`);
  };
  const series: IncludeCall[] = [];
  const builder: ISubscriptionIncludeBuilder = {
    includeDocuments(path) {
      found.add(/^[\w.]+$/.test(path) ? `doc.${path}` : quoted(`doc.${path}`));
      return builder;
    },
    includeCounter(name) {
      counter(name);
      return builder;
    },
    includeCounters(names) {
      for (const name of names) counter(name);
      return builder;
    },
    includeAllCounters() {
      found.add("counters()");
      return builder;
    },
    includeTimeSeries(...given) {
      series.push(["includeTimeSeries", ...given]);
      return builder;
    },
    includeAllTimeSeries(...given) {
      series.push(["includeAllTimeSeries", ...given]);
      return builder;
    },
  };
  includes(builder);
  return [...found, ...rqlOfSubscription(series)];
}
