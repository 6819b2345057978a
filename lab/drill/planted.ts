/**
 * Faults for the self-tests of drills that have no switch of their own: one line of a safeguard is changed while its
 * module is loaded, in the processes of that run only.
 */
import type { SourceChange } from "../planted/source-change.ts";
import { PLANTED } from "../simulate/planted.ts";

interface PlantedLine {
  readonly change: SourceChange;
  /** A part of the titles of the tests that have to fail then; the self-test runs only these. */
  readonly foundBy: string;
}

/** By the ids of drills. */
export const PLANTED_LINES: { readonly [id: string]: PlantedLine } = {
  A2: {
    change: {
      file: "backend/adapters/chain/transaction-manager/submitter.ts",
      line: "await store.addMany(",
      replacement: "await this.#options.sender.send(created.map(({ row }) => row)); await store.addMany(",
    },
    foundBy: "between row and broadcast is sent once by the next process, and stays counted",
  },
  B1: { change: PLANTED["orphans-kept"]!, foundBy: "the store equals a fresh sync after a reorganization of depth" },
  B3: { change: PLANTED["gap-not-filled"]!, foundBy: "a gap in the nonces is filled with empty transfers" },
  C1: {
    change: {
      file: "backend/app/app.ts",
      line: "if (issues.length > 0) throw new ConfigError(issues);",
      replacement: "signerSet.exchange(keys); if (issues.length > 0) throw new ConfigError(issues);",
    },
    foundBy: "fails no request in the overlap",
  },
  G1: {
    change: {
      file: "backend/adapters/store/lease/lease.ts",
      line: "if (row === null || isOwnerGone(row, identity) || hasExpired) {",
      replacement: "if (row === null || row.owner !== owner) {",
    },
    foundBy: "waits as a standby, does not touch the running games",
  },
  K1: {
    change: {
      file: "backend/services/sessions/sessions.ts",
      line: 'const isOwner = player.kind === "wallet" ? wallet === player.wallet : practiceTokenHash === player.tokenHash;',
      replacement: "const isOwner = true;",
    },
    foundBy: "hides the session from other players",
  },
  K2: {
    change: {
      file: "backend/services/auth/tokens.ts",
      line: 'export const hashToken = (token: string): string => hash("sha256", token);',
      replacement: "export const hashToken = (token: string): string => token;",
    },
    foundBy: "appear in no log, no file and no error of a complete flow",
  },
};
