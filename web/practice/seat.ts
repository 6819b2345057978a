/** The practice run of this tab, kept across a reload. The service pauses the run during the reload. */
import type { StartedSession } from "../../client/api.ts";

export type Seat = Pick<StartedSession, "sessionId" | "practiceToken">;

const STORAGE_KEY = "agent-arcade.practice";

/** Null removes it. */
export function keepSeat(slug: string, seat: Seat | null): void {
  try {
    if (seat === null) sessionStorage.removeItem(STORAGE_KEY);
    else {
      const { sessionId, practiceToken } = seat;
      sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ slug, sessionId, practiceToken }));
    }
  } catch {
    // Without storage a reload ends the run.
  }
}

export function readSeat(slug: string): Seat | null {
  try {
    const seat = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "null");
    return seat?.slug === slug && typeof seat.sessionId === "string" ? seat : null;
  } catch {
    return null;
  }
}
