import { ArcadeError } from "../domain/errors.ts";
import { isoOf } from "../domain/time.ts";
import type { Address, ChannelTokenStore, Clock, LiveSessions, SessionRow } from "../ports.ts";
import type { Catalog } from "./catalog.ts";
import { hashToken, makeToken } from "./tokens.ts";

/** Who may hold the controls of a session. */
export type Player =
  | { readonly kind: "wallet"; readonly wallet: Address }
  | { readonly kind: "practice"; readonly tokenHash: string };

const PLAY_TTL_MS = 60_000;
const SPECTATE_TTL_MS = 30_000;
const PUBLIC_SEATS_PER_IP = 3;

interface ChannelTokenPorts {
  readonly store: ChannelTokenStore;
  readonly live: LiveSessions;
  readonly clock: Clock;
  readonly catalog: Catalog;
  /** Off on a local chain: the seats of one address are not limited then. */
  readonly limitSeatsPerIp: boolean;
}

export type ChannelTokens = ReturnType<typeof makeChannelTokens>;

/** Session-scoped tokens of the play and spectate channels. */
export function makeChannelTokens({ store, live, clock, catalog, limitSeatsPerIp }: ChannelTokenPorts) {
  function runningView(row: SessionRow) {
    const view = row.phase === "ended" ? null : live.view(row.sessionId);
    if (view !== null) return view;
    throw new ArcadeError("SESSION_ENDED", `Session ${row.sessionId} has ended; there is nothing to join.`, {
      sessionId: row.sessionId,
    });
  }

  return {
    /** One use, 60 s; revokes the session's earlier play tokens. */
    async issuePlay(row: SessionRow) {
      const { spectators } = runningView(row);
      const token = makeToken("play");
      const expiresAtMs = clock.nowMs() + PLAY_TTL_MS;
      await store.add({
        tokenHash: hashToken(token),
        kind: "play",
        sessionId: row.sessionId,
        wallet: row.wallet,
        ip: null,
        expiresAtMs,
        usedAtMs: null,
        revokedAtMs: null,
      });
      return {
        token,
        expiresAt: isoOf(expiresAtMs),
        wsUrl: catalog.channelUrl(row.slug, "play", row.sessionId),
        spectatorsCurrent: spectators.current,
        spectatorsMax: spectators.max,
      };
    },

    /** One use, 30 s, with a seat reserved. Throws `SPECTATORS_FULL`. */
    async issueSpectate(row: SessionRow, viewer: { readonly wallet: Address | null; readonly ip: string }) {
      runningView(row);
      const token = makeToken("spectate");
      const tokenHash = hashToken(token);
      const expiresAtMs = clock.nowMs() + SPECTATE_TTL_MS;
      const perIpMax = viewer.wallet === null && limitSeatsPerIp ? PUBLIC_SEATS_PER_IP : null;
      const seat = live.reserveSeat({ sessionId: row.sessionId, tokenHash, ip: viewer.ip, expiresAtMs, perIpMax });
      if (seat === null)
        throw new ArcadeError("SESSION_ENDED", `Session ${row.sessionId} has ended; there is nothing to watch.`, {
          sessionId: row.sessionId,
        });
      if (!seat.reserved && seat.current < seat.max) {
        throw new ArcadeError(
          "RATE_LIMITED",
          `Expected at most ${PUBLIC_SEATS_PER_IP} public seats of one address in a session; close one, or sign in.`,
          { retryAfterSeconds: 5 },
        );
      }
      if (!seat.reserved) {
        throw new ArcadeError(
          "SPECTATORS_FULL",
          `${seat.current}/${seat.max} spectators limit reached for this livestream`,
          {
            spectatorsCurrent: seat.current,
            spectatorsMax: seat.max,
          },
        );
      }
      await store.add({
        tokenHash,
        kind: "spectate",
        sessionId: row.sessionId,
        wallet: viewer.wallet,
        ip: viewer.ip,
        expiresAtMs,
        usedAtMs: null,
        revokedAtMs: null,
      });
      return {
        token,
        expiresAt: isoOf(expiresAtMs),
        wsUrl: catalog.channelUrl(row.slug, "spectate", row.sessionId),
        spectatorsCurrent: seat.current,
        spectatorsMax: seat.max,
      };
    },
  };
}
