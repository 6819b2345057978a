import { type ArcadeClient, playSession } from "../../client/index.ts";
import { findGame } from "../../games/index.ts";

export interface ContinuousPlay {
  ticks: number;
  /** Frames that did not follow the previous one. */
  jumps: number;
  games: number;
  /** The current game's. */
  sessionId: string;
  /** Milliseconds between frames. */
  readonly gapsMs: number[];
  readonly endings: Set<string>;
}

export interface ContinuousPlayer {
  readonly state: ContinuousPlay;
  /** Resolves with the next frame; rejects if the play has stopped by a failure. */
  nextTick(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a player that plays ranked game after game until it is stopped. Resolves with its first frame. */
export async function startContinuousPlayer(client: ArcadeClient, slug: string): Promise<ContinuousPlayer> {
  const abortController = new AbortController();
  const state: ContinuousPlay = { ticks: 0, jumps: 0, games: 0, sessionId: "", gapsMs: [], endings: new Set() };
  let waiting: (() => void) | null = null;
  const playOne = async (): Promise<void> => {
    const session = await client.sessions.start({ slug, source: "agent_api", forfeitPending: true });
    state.sessionId = session.sessionId;
    state.games += 1;
    let lastTick: number | null = null;
    let lastMs = performance.now();
    const end = await playSession({
      client,
      session,
      bot: findGame(slug)!.bots.reference(),
      reconnectTimeoutMs: 0,
      signal: abortController.signal,
      onFrame: ({ tick }) => {
        if (lastTick !== null && tick > lastTick + 1) state.jumps += 1;
        const nowMs = performance.now();
        if (lastTick !== null) state.gapsMs.push(nowMs - lastMs);
        lastTick = tick;
        lastMs = nowMs;
        state.ticks += 1;
        waiting?.();
      },
    });
    state.endings.add(end.endReason);
  };
  const run = (async () => {
    while (!abortController.signal.aborted) await playOne();
  })().catch((error: unknown) => {
    if (!abortController.signal.aborted) throw error;
  });
  // The error is reported when the test waits for the player.
  run.catch(() => undefined);
  const nextTick = (): Promise<void> =>
    Promise.race([
      run.then(() => Promise.reject(new Error("the player's game stopped"))),
      new Promise<void>((resolve) => {
        waiting = resolve;
      }),
    ]);
  await nextTick();
  return {
    state,
    nextTick,
    stop: async () => {
      abortController.abort(new Error("enough"));
      await run;
    },
  };
}
