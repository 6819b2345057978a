import type { EndReason, Phase, SessionSource } from "../domain/session.ts";
import type { SessionRow } from "./store-sessions.ts";

export interface LiveView {
  readonly phase: Phase;
  readonly score: number;
  readonly tick: number;
  /** The player may (still) take the controls. */
  readonly joinable: boolean;
  readonly spectators: { readonly current: number; readonly max: number };
}

/** The running games of this process. */
export interface LiveSessions {
  /** Hosts a session whose row was just stored. */
  open(row: SessionRow): void;
  /** Null where the session is not running here. */
  view(sessionId: string): LiveView | null;
  /** Notes a sign of life; null where the session is not running here. */
  heartbeat(sessionId: string): { readonly phase: Phase; readonly expiresInSeconds: number } | null;
  /** Ends a running session and stores it; null where it is not running here. A second call joins the first. */
  end(sessionId: string, reason: EndReason): Promise<SessionRow | null>;
  /**
   * Reserves a spectator's seat until the token is used or expires. `perIpMax` limits the seats of one address
   * (null: no limit). Null where the session is not running here.
   */
  reserveSeat(seat: {
    readonly sessionId: string;
    readonly tokenHash: string;
    readonly ip: string | null;
    readonly expiresAtMs: number;
    readonly perIpMax: number | null;
  }): { readonly reserved: boolean; readonly current: number; readonly max: number } | null;
  /** Running sessions of a game and the seats taken in them; of every source unless one is named. */
  totals(slug: string, source?: SessionSource): { readonly sessions: number; readonly spectators: number };
}
