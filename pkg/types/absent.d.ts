// Members of npm `ravendb` that this package does not have.

export type { Absent, AbsentOfAdvanced, AbsentOfSession, AbsentOfStore } from "../dts/store/absent-types.js";
