// Numbers of the cluster.

export * from "../dts/operations/identities.js";
