// Who is signed in. The server trusts only its cookie; the name on the device lets the app start without a connection.
import type { DocumentStore } from "raven-edge";
import type { Known } from "./store";

export const lastUser = (): string | undefined => localStorage.user;

export async function signIn(name: string): Promise<void> {
  const response = await fetch("/sign-in", { method: "POST", body: name });
  if (!response.ok) throw new Error((await response.text()) || "The sign-in was refused.");
  localStorage.user = name;
}

/** Signs in when the cookie has expired. If another tab has signed in somebody else, this one begins anew, and leaves that cookie alone. */
export async function signInAgain(store: DocumentStore<Known>, user: string): Promise<void> {
  if (lastUser() !== user) return location.reload();
  await signIn(user);
  await store.offline.retry();
}

/** When another tab has signed out, or signed in somebody else, this one begins anew: it may show nothing of its user any more. */
export const followOtherTabs = (): void =>
  addEventListener("storage", ({ key }) => {
    // `null`: everything was removed.
    if (key === "user" || key === null) location.reload();
  });

/**
 * Signs out. The order matters: what is not saved is asked about first; then everything of the user is removed; the store ends, so that nothing
 * follows the next user; the cookie goes last, because all before may still be sent as this user.
 */
export async function signOut(store: DocumentStore<Known>): Promise<boolean> {
  // Only the Worker can remove the cookie.
  if (!store.offline.status().online) {
    alert("Signing out needs a connection.");
    return false;
  }
  const count = await store.offline.pending();
  if (count > 0 && !confirm(`${count} not saved, which will be lost. Sign out?`)) return false;
  await store.offline.clear();
  await store.dispose();
  delete localStorage.user;
  await fetch("/sign-in", { method: "DELETE" });
  return true;
}
