/** What the service has confirmed to an agent, and the check that the chain and the service still agree. */
import { expect } from "chai";
import { createPublicClient, http, parseAbi, parseAbiItem } from "viem";
import { hardhat } from "viem/chains";
import type { ArcadeClient } from "../../../client/index.ts";
import { waitUntil } from "./drill.ts";
import type { Ready } from "./process.ts";

const TOKEN = 10n ** 18n;
const SNAPSHOT = parseAbiItem(
  "event ScoreSnapshot(address indexed wallet, bytes32 indexed gameId, bytes32 indexed gameSessionHash, uint256 score, uint256 scorebank)",
);
const PAYOUT = parseAbiItem(
  "event Payout(address indexed wallet, uint256 indexed day, uint256 score, uint256 amount, uint256 scorebank)",
);
const VIEWS = parseAbi([
  "function getScorebank(address wallet) view returns (uint256)",
  "function balanceOf(address wallet) view returns (uint256)",
]);

/** Everything the service has confirmed to an agent. None of it may change later. */
export interface Confirmed {
  /** By `slug/sessionId`. */
  readonly scores: Map<string, number>;
  readonly snapshots: Set<string>;
  readonly payouts: Map<string, number>;
}

export const createConfirmed = (): Confirmed => ({ scores: new Map(), snapshots: new Set(), payouts: new Map() });

export interface ConfirmedCheck {
  readonly client: ArcadeClient;
  readonly address: `0x${string}`;
  readonly confirmed: Confirmed;
  readonly ready: Pick<Ready, "rpcUrl"> & { readonly contracts: Pick<Ready["contracts"], "rewards" | "token"> };
  readonly slugs: readonly string[];
}

/** The service follows the chain within milliseconds, but a busy machine needs longer. */
const INDEXED_WITHIN_MS = 60_000;

/** Throws if something confirmed is lost, doubled or changed, or if a session has not ended and cannot end. */
export async function checkConfirmed({ client, address, confirmed, ready, slugs }: ConfirmedCheck): Promise<void> {
  const chain = createPublicClient({ chain: hardhat, transport: http(ready.rpcUrl), cacheTime: 0 });
  // The last block may contain a transaction whose response the agent has not seen.
  await waitUntil(
    "the service knows the last block",
    async () => BigInt((await client.rewards.scorebank({})).asOf.block) >= (await chain.getBlockNumber()),
    INDEXED_WITHIN_MS,
  );
  const { rewards, token } = ready.contracts;
  const common = { address: rewards, args: { wallet: address }, fromBlock: 0n } as const;
  const snapshots = await chain.getLogs({ ...common, event: SNAPSHOT });
  const payouts = await chain.getLogs({ ...common, event: PAYOUT });
  const read = (contract: `0x${string}`, functionName: "getScorebank" | "balanceOf") =>
    chain.readContract({ address: contract, abi: VIEWS, functionName, args: [address] });

  const hashes = snapshots.map((log) => log.args.gameSessionHash!);
  expect(new Set(hashes).size, "a session counted twice").to.equal(hashes.length);
  expect(hashes, "a confirmed snapshot is gone").to.include.members([...confirmed.snapshots]);

  const scoreOnChain = new Map(snapshots.map((log) => [log.args.gameSessionHash!, Number(log.args.score)]));
  let onChain = 0;
  for (const slug of slugs) {
    const { items, total } = await client.sessions.my({ slug, limit: 100 });
    expect(total).to.be.at.most(100);
    for (const session of items) {
      const score = confirmed.scores.get(`${slug}/${session.sessionId}`);
      if (score !== undefined) expect(session.score, "a confirmed score changed").to.equal(score);
      if (session.phase === "ended") expect(session.endReason).to.be.a("string");
      else expect(session.joinable, "a session that no player can join or end").to.equal(true);
      const counted = scoreOnChain.get(session.snapshot.gameSessionHash ?? "0x");
      if (counted === undefined) continue;
      onChain += 1;
      expect(counted, "the chain has another score").to.equal(session.score);
      expect(session.snapshot.state).to.be.oneOf(["included", "safe", "final"]);
    }
    for (const key of confirmed.scores.keys())
      if (key.startsWith(slug))
        expect(
          items.map(({ sessionId }) => `${slug}/${sessionId}`),
          "a confirmed session is gone",
        ).to.include(key);
  }
  expect(onChain, "a snapshot of no session").to.equal(hashes.length);

  const sum = (values: readonly bigint[]): bigint => values.reduce((a, b) => a + b, 0n);
  const credited = sum(snapshots.map((log) => log.args.score!));
  const paid = sum(payouts.map((log) => log.args.score!));
  expect(await read(rewards, "getScorebank")).to.equal(credited - paid);
  expect(await read(token, "balanceOf")).to.equal(paid * TOKEN);
  expect(BigInt((await client.rewards.scorebank({})).score)).to.equal(credited - paid);
  const history = await client.rewards.payoutHistory({ limit: 100 });
  expect(history.items.map(({ txHash }) => txHash)).to.have.members(payouts.map((log) => log.transactionHash));
  const ids = history.items.map(({ payoutId }) => payoutId);
  expect(new Set(ids).size, "one payout paid twice").to.equal(ids.length);
  expect(ids).to.include.members([...confirmed.payouts.keys()]);
}
