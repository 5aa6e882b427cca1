// What pages may ask by name. The text of queries and scripts stays in the Worker.
export const names = {
  claims: ["name"],
  queries: {
    // `$name` is the caller, who cannot set it.
    visits: {
      query: "from Visits where owner = $name",
      // All of them are on the devices of the user.
      set: true,
      // A visit that was just saved is among the results.
      wait: 5_000,
    },
    stock: { query: "from Items order by name", page: { default: 100, max: 100 }, wait: 5_000 },
  },
  patches: {
    // The server subtracts, so two devices can change the same number without a conflict.
    take: {
      collection: "Items",
      script: "this.amount -= $count",
      parameters: { count: { type: "integer", min: -1_000, max: 1_000 } },
    },
  },
};
