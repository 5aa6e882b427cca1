import { signInAgain } from "./session";
import { useConflicts, useOffline, useOutbox, useStore } from "./store";

/** What waits on this device, what was refused, and what the user must decide. */
export function Outbox({ user }: { user: string }) {
  const store = useStore();
  const { offline } = store;
  const status = useOffline();
  const { data: changes, error } = useOutbox();
  const { data: conflicts = [] } = useConflicts();
  if (error) return <p role="alert">{error.message}</p>;
  // Nothing is known before the device was read.
  if (!status?.ready || !changes) return null;
  return (
    <section>
      <p role="status">
        {status.online ? "Connected" : "No connection"},{" "}
        {changes.length > 0 ? `${changes.length} not saved` : "everything saved"}
      </p>
      {status.needsAuth && (
        <button type="button" onClick={() => signInAgain(store, user)}>
          Sign in again
        </button>
      )}
      {conflicts.map(({ change, documents, resolve }) => (
        <p key={change.id}>
          Changed on another device, too:{" "}
          {documents.map(({ mine, theirs }) => String((mine ?? theirs)?.title)).join(", ")}{" "}
          <button type="button" onClick={() => resolve("mine")}>
            Keep mine
          </button>{" "}
          <button type="button" onClick={() => resolve("theirs")}>
            Keep the other
          </button>
        </p>
      ))}
      {changes
        .filter(({ state }) => state === "refused" || state === "unknown")
        .map((change) => (
          <p key={change.id}>
            {change.error?.message ?? "It is unknown whether a change was saved."}{" "}
            <button type="button" onClick={() => offline.retry(change)}>
              Try again
            </button>{" "}
            <button type="button" onClick={() => offline.discard(change)}>
              Give up
            </button>
          </p>
        ))}
    </section>
  );
}
