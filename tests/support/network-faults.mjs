// What may happen to a request between a client and the server.

/**
 * Rules of a proxy by the name of the fault; `dice`: see `random`. `longest`: the longest delay in milliseconds. `again(request)` delivers
 * a request once more, `late` takes those that are delivered later.
 */
export const networkFaults = (dice, { longest, again, late }) => ({
  delay: () => new Promise((resolve) => setTimeout(resolve, dice.below(longest))),
  drop: () => "drop",
  lose: () => "lose",
  cut: () => ({ cut: dice.below(200) }),
  hole: () => "hole",
  busy: () => ({ status: 503, body: "busy" }),
  // The response is that of the second delivery.
  twice: async (request) => void (await again(request)),
  later: (request) => void late.push(request),
});
