import { type EndMessage, playSession } from "../../client/index.ts";
import { findGame } from "../../games/index.ts";
import type { Player } from "../../testing/player.ts";
import { NoPointsError, untilPoints } from "./until-points.ts";

/** Long enough for the first NFT tier in nearly every run. */
export const FIRST_TIER_MS = 24_000;

/** Plays agent sessions to their natural end, until one has points. The quick bot plays well for `playMs` first. */
export const playQuick = (player: Player, slug: string, playMs?: number): Promise<EndMessage> =>
  untilPoints(async () => {
    const session = await player.client.sessions.start({ slug, source: "agent_api" });
    const game = findGame(slug)!;
    const bot = game.bots.quick?.(playMs) ?? game.bots.reference();
    const end = await playSession({ client: player.client, session, bot });
    if (end.score === 0) throw new NoPointsError(end.endReason);
    return end;
  });

/** Ends an agent session as soon as it has a score. If it ends without one, starts another. */
export const playUntilScore = (player: Player, slug: string): Promise<EndMessage> =>
  untilPoints(async () => {
    const session = await player.client.sessions.start({ slug, source: "agent_api" });
    const bot = findGame(slug)!.bots.reference();
    let isEnding = false;
    const end = await playSession({
      client: player.client,
      session,
      bot: (frame) => {
        if (frame.score.current > 0 && !isEnding) {
          isEnding = true;
          void player.client.sessions.end({ slug, sessionId: session.sessionId });
        }
        return bot(frame);
      },
    });
    if (end.score === 0) throw new NoPointsError(end.endReason);
    return end;
  });
