// Who is signed in. The server trusts only its cookie; the name on the device lets the app start without a connection.
import type { DocumentStore } from "raven-edge";
import type { names } from "../worker/names";

export const lastUser = (): string | undefined => localStorage.user;

export async function signIn(name: string): Promise<void> {
  const response = await fetch("/sign-in", { method: "POST", body: name });
  if (!response.ok) throw new Error((await response.text()) || "The sign-in was refused.");
  localStorage.user = name;
}

/**
 * Signs out. The order matters: what is not saved is asked about first; then everything of the user is removed; the store ends, so that nothing
 * follows the next user; the cookie goes last, because all before may still be sent as this user.
 */
export async function signOut(store: DocumentStore<typeof names>): Promise<boolean> {
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
