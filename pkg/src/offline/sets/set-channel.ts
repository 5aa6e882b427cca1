// What tabs tell each other about a set.

import { ifAllowed } from "../../device/if-allowed.js";
import { setKey } from "./set-records.js";

/** Told to the tabs that follow a set when its user has signed out. */
export const SIGNED_OUT = "signed out";

export const channelOf = (scope: string, name: string): string => `raven-edge-set ${setKey(scope, name)}`;

/** What the device had for the user is removed: all tabs are told, also if this one does not follow the set. */
export function tellSignedOut(scope: string, name: string): void {
  const channel = ifAllowed(() => new BroadcastChannel(channelOf(scope, name)));
  channel?.postMessage(SIGNED_OUT);
  channel?.close();
}
