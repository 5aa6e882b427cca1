// Ids of one collection.

export { HiloIdGenerator, MultiDatabaseHiLoIdGenerator } from "../dts/numbers/hilo-generators.js";
export { HiLo, type HiLoStatus, type IHiLoIdGenerator, type NextId } from "../dts/numbers/hilo-types.js";
