// Programs that raven-edge does not run as npm `ravendb` does, each with the reason; all others it does. A test fails when one
// of them gives the same after all: take it off the list then.
// A key is a program (`"file: program"`) or a whole file.

/** What raven-edge does not have. The programs run with npm `ravendb`. */
export const ABSENT = {
  "absent/later: fieldsInAnotherCaseOnTheServer":
    "`localToServerFieldNameConverter`, `serverToLocalFieldNameConverter`: refused where they are set; name the fields alike",
  "absent/later: smuggler": "`store.smuggler`: absent, an administrator's work; npm `ravendb` has it",
};

/** What both have and raven-edge does otherwise on purpose: docs/differences.md has each. */
export const DIFFERENT = {
  "ids/generating: anIdConventionForDerivedClasses":
    "RavenDB's documentation gives the convention of a class to those derived from it; npm `ravendb` 7.2.6 does not",
};

/** What is asked for and not there yet. Empty this list. */
export const WAITING = {};
