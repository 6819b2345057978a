import { createHash, randomBytes } from "node:crypto";
import type { Hex } from "viem";
import { ArcadeError } from "../../domain/errors.ts";
import { uuidV7 } from "../../domain/ids.ts";
import { nextSteps } from "../../domain/next-steps.ts";
import type { SessionSource } from "../../domain/session.ts";
import type { LiveSessions } from "../../ports/live.ts";
import type { SessionRow, SessionStore } from "../../ports/store/sessions.ts";
import type { Clock } from "../../ports/system.ts";
import type { Catalog } from "./catalog.ts";

interface OpenerPorts {
  readonly store: Pick<SessionStore, "add" | "find">;
  readonly live: Pick<LiveSessions, "admit" | "open">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly catalog: Pick<Catalog, "find" | "get">;
}

interface OpenRequest {
  readonly slug: string;
  readonly source: SessionSource;
  /** Key of the caller's address; null for the service itself. */
  readonly ip: string | null;
  /** Practice that waits for its player. */
  readonly lockstep?: boolean;
}

type SessionPlayer = Pick<SessionRow, "wallet" | "agentId" | "agentName" | "practiceTokenHash">;

const createActiveError = (slug: string, sessionId: string): ArcadeError =>
  new ArcadeError(
    "SESSION_ACTIVE",
    `The wallet is playing session ${sessionId} of ${slug}; go on with it or end it first.`,
    { sessionId, next: nextSteps.getPlayToken(slug, sessionId) },
  );

/** Stores new sessions and hosts them. */
export class SessionOpener {
  readonly #ports: OpenerPorts;

  constructor(ports: OpenerPorts) {
    this.#ports = ports;
  }

  /** Stores and hosts a new session. Throws `SERVER_FULL`, `RATE_LIMITED` or `SESSION_ACTIVE`. */
  async open({ slug, source, ip, lockstep = false }: OpenRequest, player: SessionPlayer): Promise<SessionRow> {
    const { live } = this.#ports;
    const release = live.admit({ source, ip });
    try {
      const row = await this.#addRow(slug, source, player);
      live.open(row, ip, { isLockstep: lockstep });
      return row;
    } finally {
      release();
    }
  }

  /** Stores a new session with a secret random seed. Throws `SESSION_ACTIVE`. */
  async #addRow(slug: string, source: SessionSource, player: SessionPlayer): Promise<SessionRow> {
    const { store, catalog, clock } = this.#ports;
    const seed = randomBytes(32);
    const session = {
      sessionId: uuidV7(clock.nowMs(), randomBytes(10)),
      slug,
      source,
      ...player,
      seed: `0x${seed.toString("hex")}` as Hex,
      seedCommitment: `0x${createHash("sha256").update(seed).digest("hex")}` as Hex,
      rulesVersion: catalog.find(slug).rulesVersion,
      tickHz: catalog.get(slug).tickHz,
      startedAtMs: clock.nowMs(),
    };
    const outcome = await store.add(session);
    if (!outcome.added) throw createActiveError(slug, outcome.activeSessionId);
    return (await store.find(session.sessionId))!;
  }
}
