import type { Address } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import { SESSION_LIMITS } from "../../../domain/limits/limits.ts";
import { toIso } from "../../../domain/time.ts";
import type { LiveSessions } from "../../ports/live.ts";
import type { ChannelTokenRow, ChannelTokenStore } from "../../ports/store/auth.ts";
import type { SessionRow } from "../../ports/store/sessions.ts";
import type { Clock } from "../../ports/system.ts";
import { readOrElse } from "../chain-reads.ts";
import type { Identity } from "../identity/identity.ts";
import type { Catalog } from "../sessions/catalog.ts";
import { createToken, hashToken } from "./tokens.ts";

/** Who may control a session. */
export type Player =
  | { readonly kind: "wallet"; readonly wallet: Address; readonly familyId: string }
  | { readonly kind: "practice"; readonly tokenHash: string };

/** Who wants to watch a session; `wallet` is null for anonymous spectators. */
export interface Viewer {
  readonly wallet: Address | null;
  /** The sign-in of `wallet`; null for anonymous spectators. */
  readonly familyId: string | null;
  readonly ip: string;
}

interface ChannelTokenPorts {
  readonly store: Pick<ChannelTokenStore, "add">;
  readonly live: Pick<LiveSessions, "waitUntilRecovered" | "getView" | "reserveSeat">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly catalog: Pick<Catalog, "getChannelUrl">;
  readonly identity: Pick<Identity, "findAgentId">;
  /** False on a local chain: there the seats of one address are not limited. */
  readonly limitSeatsPerIp: boolean;
}

interface Seats {
  readonly current: number;
  readonly max: number;
}

const PLAY_TTL_MS = 60_000;
const SPECTATE_TTL_MS = 30_000;

const createEndedError = (sessionId: string, purpose: "join" | "watch"): ArcadeError =>
  new ArcadeError("SESSION_ENDED", `Session ${sessionId} has ended; there is nothing to ${purpose}.`, { sessionId });

const createSeatLimitError = (): ArcadeError =>
  new ArcadeError(
    "RATE_LIMITED",
    `Expected at most ${SESSION_LIMITS.seatsPerIp} seats of one address in a session; close one, or sign in with a wallet that holds an agent identity.`,
    { retryAfterSeconds: 5 },
  );

const createFullError = ({ current, max }: Seats): ArcadeError =>
  new ArcadeError("SPECTATORS_FULL", `${current}/${max} spectators limit reached for this livestream`, {
    spectatorsCurrent: current,
    spectatorsMax: max,
  });

/** Single-use tokens for the play and spectate channels of one session. */
export class ChannelTokens {
  readonly #ports: ChannelTokenPorts;

  constructor(ports: ChannelTokenPorts) {
    this.#ports = ports;
  }

  /**
   * A play token for 60 s; revokes the session's earlier play tokens. `familyId` is the sign-in that asks for it, null
   * for anonymous practice. Throws `SESSION_ENDED` or `SESSION_RECOVERING`.
   */
  async issuePlay(row: SessionRow, familyId: string | null) {
    const { spectators } = await this.#getRunningView(row);
    const token = createToken("play");
    const expiresAtMs = this.#ports.clock.nowMs() + PLAY_TTL_MS;
    const stored = await this.#add(token, row, { kind: "play", wallet: row.wallet, familyId, ip: null, expiresAtMs });
    return this.#toResponse(token, row, stored, spectators);
  }

  /**
   * A spectate token for 30 s, with a reserved seat. Throws `SPECTATORS_FULL`, `RATE_LIMITED`, `SESSION_ENDED`
   * or `SESSION_RECOVERING`.
   */
  async issueSpectate(row: SessionRow, viewer: Viewer) {
    await this.#ports.live.waitUntilRecovered(row.sessionId);
    const token = createToken("spectate");
    const expiresAtMs = this.#ports.clock.nowMs() + SPECTATE_TTL_MS;
    const perIpMax = (await this.#isLimitedPerIp(viewer)) ? SESSION_LIMITS.seatsPerIp : null;
    const seats = await this.#reserveSeat(row, viewer, { token, expiresAtMs, perIpMax });
    const stored = await this.#add(token, row, { kind: "spectate", ...viewer, expiresAtMs });
    return this.#toResponse(token, row, stored, seats);
  }

  async #getRunningView(row: SessionRow) {
    await this.#ports.live.waitUntilRecovered(row.sessionId);
    const view = row.phase === "ended" ? null : await this.#ports.live.getView(row.sessionId);
    if (view !== null) return view;
    throw createEndedError(row.sessionId, "join");
  }

  /** A wallet costs nothing, an identity does. While the chain is unavailable, no wallet counts as holding one. */
  async #isLimitedPerIp({ wallet }: Viewer): Promise<boolean> {
    const { limitSeatsPerIp, identity } = this.#ports;
    if (!limitSeatsPerIp || wallet === null) return limitSeatsPerIp;
    return (await readOrElse(identity.findAgentId(wallet), null)) === null;
  }

  async #reserveSeat(
    { sessionId }: SessionRow,
    { ip }: Viewer,
    { token, ...limits }: { readonly token: string; readonly expiresAtMs: number; readonly perIpMax: number | null },
  ): Promise<Seats> {
    const { live } = this.#ports;
    const seat = await live.reserveSeat({
      sessionId,
      tokenHash: hashToken(token),
      ip,
      ...limits,
    });
    if (seat === null) throw createEndedError(sessionId, "watch");
    if (seat.reserved) return seat;
    throw seat.current < seat.max ? createSeatLimitError() : createFullError(seat);
  }

  async #add(
    token: string,
    { sessionId }: SessionRow,
    facts: Pick<ChannelTokenRow, "kind" | "wallet" | "familyId" | "ip" | "expiresAtMs">,
  ): Promise<ChannelTokenRow> {
    const stored = { tokenHash: hashToken(token), sessionId, usedAtMs: null, revokedAtMs: null, ...facts };
    await this.#ports.store.add(stored);
    return stored;
  }

  #toResponse(token: string, row: SessionRow, { kind, expiresAtMs }: ChannelTokenRow, seats: Seats) {
    return {
      token,
      expiresAt: toIso(expiresAtMs),
      wsUrl: this.#ports.catalog.getChannelUrl(row.slug, kind, row.sessionId),
      spectatorsCurrent: seats.current,
      spectatorsMax: seats.max,
    };
  }
}
