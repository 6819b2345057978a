/** A real service with a real chain and the built site, in which agents have played. */
import type { Hex } from "viem";
import { openEngine } from "../../../backend/adapters/policies/engine-file.ts";
import type { Clock } from "../../../backend/ports/system.ts";
import { mintOrUpgradeNft, snapshotScore } from "../../../client/flows.ts";
import { playSession } from "../../../client/index.ts";
import { findGame, type GameList } from "../../../games/index.ts";
import { addEndedSession, type EndedSessionOptions, withStore } from "../../../testing/ended-session.ts";
import { createAgent, type Player } from "../../../testing/player.ts";
import { playRound } from "../../adapters/policies/league-round.ts";
import { addPlayedRound } from "../../helpers/played-round.ts";
import { buildTestSite } from "../../helpers/site.ts";
import { startTestStack, type TestStack } from "../../helpers/suite.ts";

export const ADMIN_TOKEN = "operators-own-token-1234";

export interface SiteWorld {
  readonly stack: TestStack;
  readonly url: string;
  /** Has runs of both games. The first one's score is on chain, with its NFT. Its identity is for sale. */
  readonly agent: Player & { readonly agentId: string; readonly name: string };
  readonly onChainRun: { readonly sessionId: string; readonly score: number; readonly hash: Hex };
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

export interface SiteWorldOptions {
  /** By default a name that looks like markup. */
  readonly agentName?: string;
  readonly clock?: Clock;
  readonly gameList?: GameList;
  readonly env?: { readonly [name: string]: string };
}

const AGENT_NAME = "<img src=x onerror=alert(1)>";

export async function startLiveRun(stack: TestStack, slug: string, name: string): Promise<LiveRun> {
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

/** A run that counts: ended and verified, like every run soon after its end. */
export async function addVerifiedSession(stack: TestStack, options: EndedSessionOptions) {
  const row = await addEndedSession(stack, options);
  await withStore(stack, (store) => store.sessions.setVerification(row.sessionId, "verified"));
  return row;
}

/** Puts an agent's identity up for sale. */
async function listIdentity({ client, wallet }: Player, agentId: string): Promise<void> {
  const { listingId, typedData, approval } = await client.market.listingPayload({
    collection: "identity",
    tokenId: agentId,
    price: "50000000000000000",
  });
  await wallet.waitForReceipt((await wallet.sendCall(approval!)).txHash);
  const signature = await wallet.signTypedData!(typedData);
  await client.market.visibilitySet({ listingId, visible: true, signature });
}

export async function openSiteWorld(options: SiteWorldOptions = {}): Promise<SiteWorld> {
  const { agentName = AGENT_NAME, env, ...more } = options;
  const site = await buildTestSite();
  const stack = await startTestStack({
    webDir: site.webDir,
    ...more,
    env: { ARCADE_ADMIN_TOKEN: ADMIN_TOKEN, ...env },
  });
  const player = await createAgent(stack, agentName);
  const { agentId } = await player.client.identity.ownershipStatus({ walletAddress: player.address });
  const own = { wallet: player.address, agentName };
  const first = await addEndedSession(stack, { ...own, slug: "shellrunners", minScore: 400 });
  await snapshotScore({ client: player.client, sessionId: first.sessionId });
  await mintOrUpgradeNft({ client: player.client, slug: "shellrunners" });
  await listIdentity(player, agentId!);
  const rival = await createAgent(stack, "Plover");
  const other = await addVerifiedSession(stack, {
    wallet: rival.address,
    slug: "shellrunners",
    minScore: 150,
    agentName: "Plover",
  });
  await addVerifiedSession(stack, { ...own, slug: "flappybots", minScore: 20 });
  await addPlayedRound(stack, await playRound(openEngine(), 3, 3, 100));
  const liveRuns: LiveRun[] = [];
  return {
    stack,
    url: stack.httpUrl,
    agent: { ...player, agentId: agentId!, name: agentName },
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
