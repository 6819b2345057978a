/** Faults for the self-tests of drills that have no switch. */

interface DrillFault {
  /** The name of an injected fault. */
  readonly fault: string;
  /** A substring of the titles of the tests that must fail. The self-test runs only these. */
  readonly foundBy: string;
}

/** By the ids of drills. */
export const DRILL_FAULTS: { readonly [id: string]: DrillFault } = {
  A2: {
    fault: "sent-before-stored",
    foundBy: "between row and broadcast is sent once by the next process, and stays counted",
  },
  B1: { fault: "orphans-kept", foundBy: "the store equals a fresh sync after a reorganization of depth" },
  B3: { fault: "gap-not-filled", foundBy: "a gap in the nonces is filled with empty transfers" },
  C1: { fault: "key-used-unchecked", foundBy: "fails no request in the overlap" },
  G1: { fault: "lease-taken-at-once", foundBy: "waits as a standby, does not touch the running games" },
  K1: { fault: "player-not-checked", foundBy: "hides the session from other players" },
  K2: { fault: "token-not-hashed", foundBy: "appear in no log, no file and no error of a complete flow" },
};
