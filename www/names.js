// The queries and patches of the page "my orders". The Worker gives them to the gateway; the page uses their names alone.

/** @satisfies {import("raven-edge").Names} */
export const names = {
  claims: ["name"],
  queries: {
    myOrders: {
      query: "from Orders where customerId = $name and total >= $from order by at desc",
      parameters: { from: { type: "number", min: 0, default: 0 } },
      page: { default: 20, max: 50 },
      // RavenDB waits up to 5,000 ms for its index, so that an order that was just saved is among the results.
      wait: 5_000,
    },
  },
  patches: {
    pay: { collection: "Orders", script: "this.state = 'paid'" },
  },
};
