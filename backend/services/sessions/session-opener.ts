import { createHash, randomBytes } from "node:crypto";
import type { Hex } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import { nextSteps } from "../../../domain/next-steps.ts";
import type { LiveSessions, SessionStart, SessionStarts } from "../../ports/live.ts";
import type { SessionRow, SessionStore } from "../../ports/store/sessions.ts";
import type { Clock } from "../../ports/system.ts";
import type { Catalog } from "./catalog.ts";

/** For tests: known courses, and ticks that wait for the player. */
export interface TestSessions {
  /** The service's part of the next session's seed: 32 bytes. */
  drawSeed(): Buffer;
  readonly isLockstep: boolean;
}

interface OpenerPorts {
  readonly store: Pick<SessionStore, "add">;
  readonly live: Pick<LiveSessions, "admit" | "open" | "reclaim">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly catalog: Pick<Catalog, "find" | "get">;
  readonly testSessions?: TestSessions | undefined;
}

const createActiveError = (slug: string, sessionId: string): ArcadeError =>
  new ArcadeError(
    "SESSION_ACTIVE",
    `The wallet is playing session ${sessionId} of ${slug}; continue or end it first.`,
    { sessionId, next: nextSteps.getPlayToken(slug, sessionId) },
  );

/** Stores new sessions and hosts them in this process. */
export class SessionOpener implements SessionStarts {
  readonly #ports: OpenerPorts;

  constructor(ports: OpenerPorts) {
    this.#ports = ports;
  }

  /** Stores and hosts a new session. Throws `SERVER_FULL`, `RATE_LIMITED` or `SESSION_ACTIVE`. */
  async open(start: SessionStart): Promise<SessionRow> {
    const { live, testSessions } = this.#ports;
    const { source, ip } = start;
    const isLockstep = start.isLockstep || testSessions?.isLockstep === true;
    const release = live.admit({ source, ip });
    try {
      const row = await this.#addRow(start);
      live.open(row, ip, { isLockstep });
      return row;
    } finally {
      release();
    }
  }

  /** Stores a new session with a secret seed. Throws `SESSION_ACTIVE`. */
  async #addRow({ sessionId, slug, source, player }: SessionStart): Promise<SessionRow> {
    const { store, live, catalog, clock, testSessions } = this.#ports;
    const seed = testSessions?.drawSeed() ?? randomBytes(32);
    const session = {
      sessionId,
      slug,
      source,
      ...player,
      seed: `0x${seed.toString("hex")}` as Hex,
      seedCommitment: `0x${createHash("sha256").update(seed).digest("hex")}` as Hex,
      rulesVersion: catalog.find(slug).rulesVersion,
      tickHz: catalog.get(slug).tickHz,
      startedAtMs: clock.nowMs(),
    };
    const outcome = await store.add(session).catch((error: unknown) => {
      // The session may be stored even if the response was lost.
      live.reclaim();
      throw error;
    });
    if (!outcome.added) throw createActiveError(slug, outcome.activeSessionId);
    return outcome.row;
  }
}
