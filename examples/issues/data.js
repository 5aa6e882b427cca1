// The documents of a user, which are all on this device, and the query over them.
import { and, createCollection, eq, ilike, toArray } from "@tanstack/db";
import { DocumentStore } from "raven-edge";
import { offline } from "raven-edge/offline";
import { ravenCollectionOptions } from "raven-edge/tanstack-db";

const SETS = {
  issues: { collection: "Issues", live: true },
  comments: { collection: "Comments", live: true },
  users: { collection: "Users", live: true },
};

export function open(user) {
  // If two devices change different members of an issue, both changes hold. If they change the same one, the user decides.
  const onDevice = offline({ user, sets: SETS, merge: { Issues: "fields" } });
  const store = new DocumentStore("/raven", "Tracker", { offline: onDevice }).initialize();
  // Ids for times without a connection. Without one this fails, and those of the last time are used.
  Promise.allSettled(["issues", "comments"].map((tag) => store.hilo(tag).reserve(20)));
  const rows = (set) =>
    createCollection(ravenCollectionOptions({ store, set, collection: SETS[set].collection }));
  return { user, store, issues: rows("issues"), comments: rows("comments"), users: rows("users") };
}

/** The newest 20 issues with this status and text, each with the name of its author and its comments. */
export const newest =
  ({ issues, comments, users }, status, text) =>
  (q) =>
    q
      .from({ issue: issues })
      .leftJoin({ author: users }, ({ issue, author }) => eq(issue.author, author.id))
      .where(({ issue }) => and(eq(issue.status, status), ilike(issue.title, `%${text}%`)))
      .orderBy(({ issue }) => issue.at, "desc")
      .limit(20)
      .select(({ issue, author }) => ({
        ...issue,
        author: author?.name,
        comments: toArray(
          q
            .from({ comment: comments })
            .where(({ comment }) => eq(comment.issue, issue.id))
            .orderBy(({ comment }) => comment.at),
        ),
      }));
