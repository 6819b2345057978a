/** Sessions: list them, end one, take its score back. */
import { ArcadeError, type ErrorCode } from "../../../../domain/errors.ts";
import { isDemoSession } from "../../../../domain/session.ts";
import { toIso } from "../../../../domain/time.ts";
import type { SessionRow } from "../../../ports/store/sessions.ts";
import type { ConsoleOperator, Operator } from "../operator.ts";

const createNotFoundError = (sessionId: string): ArcadeError =>
  new ArcadeError("SESSION_NOT_FOUND", `There is no session ${sessionId}.`, { sessionId });

/** Sessions that are not over, of every source, oldest first. */
export async function listOpenSessions(operator: ConsoleOperator) {
  return { sessions: await toViews(operator, await operator.store.sessions.listOpen()) };
}

/** Sessions whose score the service refuses to sign, newest first. */
export async function listWithheldSessions(operator: ConsoleOperator, { limit }: { readonly limit: number }) {
  return { sessions: await toViews(operator, await operator.store.operator.listWithheld(limit)) };
}

interface Change {
  readonly sessionId: string;
  readonly reason: string;
}

/** Orders the server that runs a session to end it with its current score. Audit: `sessions.end`. */
export async function endSession({ store, createStamp }: Operator, { sessionId, reason }: Change): Promise<void> {
  if (await store.operator.requestSessionEnd(sessionId, reason, createStamp())) return;
  const row = await store.sessions.find(sessionId);
  if (row === null) throw createNotFoundError(sessionId);
  const message = `Session ${sessionId} has ended already (${row.endReason}).`;
  throw new ArcadeError("SESSION_ENDED", message, { sessionId });
}

const TAKE_BACKS = {
  withhold: { method: "withholdScore", done: "withheld" },
  forfeit: { method: "forfeitScore", done: "forfeited" },
} as const;
export type TakeBack = keyof typeof TAKE_BACKS;

const OBSTACLES = {
  not_ended: ["SESSION_NOT_ENDED", "it is still being played; end it first"],
  practice: ["SOURCE_NOT_ELIGIBLE", "practice sessions have no score that counts"],
  on_chain: ["SCORE_ON_CHAIN", "its score is on chain already and cannot be removed there"],
} as const satisfies { readonly [outcome: string]: readonly [ErrorCode, string] };

/**
 * Takes an ended session's score back forever; `unchanged`: it was taken back before. Audit: `sessions.withhold`,
 * `sessions.forfeit`. Throws `SESSION_NOT_FOUND` and the codes of `OBSTACLES`.
 */
export async function takeScoreBack({ store, createStamp }: Operator, action: TakeBack, { sessionId, reason }: Change) {
  const { method, done } = TAKE_BACKS[action];
  const outcome = await store.operator[method](sessionId, reason, createStamp());
  if (outcome === "unknown") throw createNotFoundError(sessionId);
  if (outcome !== "withheld" && outcome !== "forfeited" && outcome !== "unchanged") {
    const [code, obstacle] = OBSTACLES[outcome];
    throw new ArcadeError(code, `The score of session ${sessionId} cannot be ${done}: ${obstacle}.`, { sessionId });
  }
  return { outcome, done, session: (await store.sessions.find(sessionId))! };
}

const toViews = ({ live }: ConsoleOperator, rows: readonly SessionRow[]) =>
  Promise.all(
    rows.map(async (row) => {
      const { sessionId, slug, source, wallet, agentName, startedAtMs, tickHz } = row;
      const running = row.phase === "ended" ? null : await live.peekView(sessionId);
      return {
        sessionId,
        slug,
        source,
        walletAddress: wallet,
        agentName,
        tickHz,
        phase: running?.phase ?? row.phase,
        score: running?.score ?? row.score,
        tick: running?.tick ?? row.tick,
        joined: running?.joined ?? false,
        spectators: running?.spectators ?? { current: 0, max: 0 },
        verification: row.verification,
        startedAt: toIso(startedAtMs),
        endReason: row.endReason,
        ...(isDemoSession(row) ? { demo: true as const } : {}),
      };
    }),
  );
