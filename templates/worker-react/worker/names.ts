// What pages may ask by name. The text stays in the Worker; pages use the types.
import type { Names } from "raven-edge";

export const names = {
  claims: ["name"],
  queries: {
    // `$name` is the caller, who cannot set it. `set`: a device may keep all of them.
    tasks: {
      query: "from Tasks where owner = $name order by at desc",
      page: { default: 100, max: 100 },
      // A task that was just saved is among the results.
      wait: 5_000,
      set: true,
    },
  },
} as const satisfies Names;

export interface Task {
  id?: string;
  owner: string;
  title: string;
  done: boolean;
  at: string;
}
