import { findGame } from "../../backend/games/index.ts";
import { type EndMessage, playSession } from "../../client/index.ts";
import type { Player } from "./player.ts";

/** Long enough for the first NFT tier in nearly every run. */
export const FIRST_TIER_MS = 24_000;

/** Plays one agent session to its natural end with the quick bot, which plays well for `playMs` first. */
export async function playQuick(player: Player, slug: string, playMs?: number): Promise<EndMessage> {
  const session = await player.client.sessions.start({ slug, source: "agent_api" });
  const game = findGame(slug)!;
  return playSession({ client: player.client, session, bot: game.bots.quick?.(playMs) ?? game.bots.reference() });
}

/** Ends a fresh agent session as soon as it has a score. */
export async function playUntilScore(player: Player, slug: string): Promise<EndMessage> {
  const session = await player.client.sessions.start({ slug, source: "agent_api" });
  const bot = findGame(slug)!.bots.reference();
  let ended = false;
  return playSession({
    client: player.client,
    session,
    bot: (frame) => {
      if (frame.score.current > 0 && !ended) {
        ended = true;
        void player.client.sessions.end({ slug, sessionId: session.sessionId });
      }
      return bot(frame);
    },
  });
}
