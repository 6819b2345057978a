/** Game NFTs through the routes. */
import { snapshotScore } from "../../../client/index.ts";
import { addEndedSession } from "../../../testing/ended-session.ts";
import type { Player } from "../../../testing/player.ts";
import type { TestStack } from "../../helpers/suite.ts";
import type { RouteTester } from "./watch-routes.ts";

/** Scores of the first two tiers of shellrunners. */
export const FIRST_TIER = 220;
export const SECOND_TIER = 900;

export function createNftActions(stack: () => TestStack, api: RouteTester) {
  const withToken = async (player: Player, body: object = {}) => ({
    params: { slug: "shellrunners" },
    token: await player.getAccessToken(),
    body,
  });
  const prepare = async (player: Player, body: object = {}) =>
    (await api.expectSuccess("nft.prepare", await withToken(player, body))).body;
  const record = async (player: Player, txHash: string) =>
    (await api.expectSuccess("nft.record", await withToken(player, { txHash }))).body;
  const start = async (player: Player) => api.call("sessions.start", await withToken(player, { source: "agent_api" }));

  /** Puts a new session's score on chain. */
  async function reachScore(player: Player, minScore: number) {
    const row = await addEndedSession(stack(), { wallet: player.address, minScore });
    const { txHash } = await snapshotScore({ client: player.client, sessionId: row.sessionId });
    return { ...row, txHash };
  }
  return { withToken, prepare, record, start, reachScore };
}
