/** A real service with a real chain and the built site, in which agents have played: what a person finds who comes by. */
import type { Hex } from "viem";
import { findGame } from "../../../backend/games/index.ts";
import { mintOrUpgradeNft, snapshotScore } from "../../../client/flows.ts";
import { playSession } from "../../../client/index.ts";
import { createAgent, type Player } from "../../helpers/player.ts";
import { buildTestSite } from "../../helpers/site.ts";
import { startTestStack, type TestStack } from "../../helpers/suite.ts";
import { addEndedSession } from "../../http/support/plant-session.ts";

export interface SiteWorld {
  readonly stack: TestStack;
  readonly url: string;
  /** Has runs of both games; the first one's score is on chain, with its NFT. */
  readonly agent: Player & { readonly agentId: string; readonly name: string };
  /** A run whose score is on chain. */
  readonly onChainRun: { readonly sessionId: string; readonly score: number; readonly hash: Hex };
  /** A run whose score is not. */
  readonly otherRun: { readonly sessionId: string; readonly score: number };
  /** An agent that plays in this process until `stop`. */
  startLiveRun(slug: string, name?: string): Promise<LiveRun>;
  close(): Promise<void>;
}

export interface LiveRun {
  readonly sessionId: string;
  readonly player: Player;
  stop(): Promise<void>;
}

const AGENT_NAME = "Kestrel <b>&</b>";

async function startLiveRun(stack: TestStack, slug: string, name: string): Promise<LiveRun> {
  const player = await createAgent(stack, name);
  const session = await player.client.sessions.start({ slug, source: "agent_api" });
  const bot = findGame(slug)!.bots.reference();
  const ended = playSession({ client: player.client, session, bot }).catch(() => undefined);
  const { sessionId } = session;
  return {
    sessionId,
    player,
    async stop() {
      await player.client.sessions.end({ slug, sessionId }).catch(() => undefined);
      await ended;
    },
  };
}

export async function openSiteWorld(): Promise<SiteWorld> {
  const site = await buildTestSite();
  const stack = await startTestStack({ webDir: site.webDir });
  const player = await createAgent(stack, AGENT_NAME);
  const { agentId } = await player.client.identity.ownershipStatus({ walletAddress: player.address });
  const first = await addEndedSession(stack, {
    wallet: player.address,
    slug: "shellrunners",
    minScore: 400,
    agentName: AGENT_NAME,
  });
  await snapshotScore({ client: player.client, sessionId: first.sessionId });
  await mintOrUpgradeNft({ client: player.client, slug: "shellrunners" });
  const rival = await createAgent(stack, "Plover");
  const other = await addEndedSession(stack, {
    wallet: rival.address,
    slug: "shellrunners",
    minScore: 150,
    agentName: "Plover",
  });
  await addEndedSession(stack, { wallet: player.address, slug: "flappybots", minScore: 20, agentName: AGENT_NAME });
  const liveRuns: LiveRun[] = [];
  return {
    stack,
    url: stack.httpUrl,
    agent: { ...player, agentId: agentId!, name: AGENT_NAME },
    onChainRun: { sessionId: first.sessionId, score: first.score, hash: first.gameSessionHash! },
    otherRun: { sessionId: other.sessionId, score: other.score },
    async startLiveRun(slug, name = "Heron") {
      const run = await startLiveRun(stack, slug, name);
      liveRuns.push(run);
      return run;
    },
    async close() {
      await Promise.all(liveRuns.map((run) => run.stop()));
      await stack.close();
      await site.remove();
    },
  };
}
