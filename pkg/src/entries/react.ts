// `raven-edge/react`: hooks.

export { StoreProvider, useDocument, useDocuments, useOffline, useQuery, useStore } from "../react/hooks.js";
