/** Derives again what a service has published of its agents' scores in an ERC-8004 Reputation registry. */
import { type Address, type Hex, isAddressEqual, keccak256, type PublicClient, parseAbi, stringToHex } from "viem";
import type { SnapshotEvent } from "../../client/snapshot-event.ts";
import { toReason, type Verdict, verifyReplay } from "../../client/verify-replay.ts";
import { parseFeedbackUri, REPUTATION_ABI, SCORE_TAG } from "../../domain/feedback.ts";
import { getTier } from "../../domain/gates.ts";
import { toGameId } from "../../domain/replay/replay.ts";
import type { ReplayDifference } from "../../domain/replay/verify.ts";
import { findGame } from "../../games/index.ts";
import { readSelectedEvents, readTenures } from "./read-events.ts";
import type { ReplaySource } from "./replay-sources.ts";

const IDENTITY_ABI = parseAbi([
  "function identity() view returns (address)",
  "function ownerOf(uint256 agentId) view returns (address)",
  "function getAgentWallet(uint256 agentId) view returns (address)",
]);
const ROLES_ABI = parseAbi([
  "function OPERATOR_ROLE() view returns (bytes32)",
  "function hasRole(bytes32 role, address account) view returns (bool)",
]);

export interface PublishedFeedback {
  readonly agentId: string;
  readonly client: Address;
  readonly value: string;
  readonly valueDecimals: number;
  readonly slug: string;
  readonly uri: string;
  readonly hash: Hex;
  readonly block: number;
}

export interface CheckedFeedback {
  readonly feedback: PublishedFeedback;
  readonly verdict: Verdict;
  readonly reason: string;
}

/** Feedback with the tag of scores by an operator of the rewards contract; anybody else's is not the service's. */
async function listFeedback(client: PublicClient, registry: Address, rewards: Address) {
  const operatorRole = await client.readContract({ address: rewards, abi: ROLES_ABI, functionName: "OPERATOR_ROLE" });
  const isOperator = (account: Address) =>
    client.readContract({ address: rewards, abi: ROLES_ABI, functionName: "hasRole", args: [operatorRole, account] });
  const filter = { address: registry, abi: REPUTATION_ABI, eventName: "NewFeedback", strict: true } as const;
  const logs = await client.getContractEvents({ ...filter, fromBlock: 0n, toBlock: "latest" });
  const scores = logs.filter(({ args }) => args.indexedTag1 === keccak256(stringToHex(SCORE_TAG)));
  const operators = new Map<Address, boolean>();
  for (const { args } of scores)
    if (!operators.has(args.clientAddress)) operators.set(args.clientAddress, await isOperator(args.clientAddress));
  return scores
    .filter(({ args }) => operators.get(args.clientAddress))
    .map(
      ({ args, blockNumber }): PublishedFeedback => ({
        agentId: args.agentId.toString(),
        client: args.clientAddress,
        slug: args.tag2,
        value: args.value.toString(),
        valueDecimals: args.valueDecimals,
        uri: args.feedbackURI,
        hash: args.feedbackHash,
        block: Number(blockNumber),
      }),
    );
}

/** What a feedback says of a score, compared with the score's event and its replay. */
async function checkFeedback(
  feedback: PublishedFeedback,
  event: SnapshotEvent,
  source: ReplaySource,
  isHolder: IsHolder,
): Promise<Pick<CheckedFeedback, "verdict" | "reason">> {
  const found = await source.find(event.gameSessionHash);
  if (found === null) return { verdict: "CANNOT_RECOMPUTE", reason: `no replay of it in ${source.name}` };
  if (found.replay === null) return { verdict: "DIVERGED", reason: toReason(found.problems) };
  const result = await verifyReplay(found.replay, { event });
  const differences: ReplayDifference[] = [...result.differences];
  const compare = (field: string, expected: string, received: string): void => {
    if (expected !== received) differences.push({ field, expected, received });
  };
  compare("value", String(result.finalScore), feedback.value);
  compare("valueDecimals", "0", String(feedback.valueDecimals));
  compare("tag2", found.replay.slug, feedback.slug);
  compare("feedbackHash", result.replayDigest, feedback.hash);
  if (!(await isHolder(feedback, event)))
    differences.push({ field: "agentId", expected: `the agent of ${event.wallet}`, received: feedback.agentId });
  return differences.length === 0
    ? { verdict: result.verdict, reason: result.reason }
    : { verdict: "DIVERGED", reason: toReason(differences) };
}

/** Whether an agent was that of the wallet of a score. */
type IsHolder = (feedback: PublishedFeedback, event: SnapshotEvent) => Promise<boolean>;

/**
 * In a registry of the deployment's own identities: who held the identity when the score came on chain. In one of another
 * Identity registry: who owned the agent or acted for it when the feedback was given, for then the link was checked.
 */
async function createHolderCheck(client: PublicClient, registry: Address, rewards: Address): Promise<IsHolder> {
  const [identity, agents] = await Promise.all([
    client.readContract({ address: rewards, abi: IDENTITY_ABI, functionName: "identity" }),
    client.readContract({ address: registry, abi: REPUTATION_ABI, functionName: "getIdentityRegistry" }),
  ]);
  if (isAddressEqual(agents, identity))
    return async ({ agentId }, { wallet, block }) =>
      (await readTenures(client, rewards, BigInt(agentId))).some(
        (tenure) => tenure.wallet === wallet && tenure.from <= block && block <= tenure.to,
      );
  return async ({ agentId, block }, { wallet }) => {
    const call = { address: agents, abi: IDENTITY_ABI, args: [BigInt(agentId)], blockNumber: BigInt(block) } as const;
    const holders = await Promise.all([
      client.readContract({ ...call, functionName: "ownerOf" }),
      client.readContract({ ...call, functionName: "getAgentWallet" }),
    ]);
    return holders.some((holder) => isAddressEqual(holder, wallet));
  };
}

const getTierOf = (slug: string, score: string): number => getTier(findGame(slug)?.nft.tiers ?? [], Number(score));

/**
 * Checks the published scores of the selected events, and that each one of an agent and game is of a higher tier than the
 * one before. Feedback of a score that stands on chain and is not selected is left out; of none at all it is `DIVERGED`.
 */
export async function checkPublishedFeedback(
  client: PublicClient,
  { registry, rewards }: { readonly registry: Address; readonly rewards: Address },
  selected: readonly SnapshotEvent[],
  source: ReplaySource,
): Promise<readonly CheckedFeedback[]> {
  const isSelected = new Set(selected.map(({ gameSessionHash }) => gameSessionHash));
  const published = await listFeedback(client, registry, rewards);
  const isNamed = ({ uri }: PublishedFeedback): boolean => isSelected.has(parseFeedbackUri(uri) as Hex);
  const everything = { rewards, agentId: null, wallet: null, fromBlock: 0n, toBlock: null };
  const events = published.every(isNamed) ? selected : await readSelectedEvents(client, everything);
  const eventByHash = new Map(events.map((event) => [event.gameSessionHash, event]));
  const isHolder = await createHolderCheck(client, registry, rewards);
  const tiers = new Map<string, number>();
  const checked: CheckedFeedback[] = [];
  for (const feedback of published) {
    const hash = parseFeedbackUri(feedback.uri);
    const event = hash === null ? undefined : eventByHash.get(hash);
    const player = `${feedback.agentId} ${feedback.slug}`;
    const tier = getTierOf(feedback.slug, feedback.value);
    const before = tiers.get(player) ?? 0;
    tiers.set(player, Math.max(tier, before));
    if (event !== undefined && !isSelected.has(event.gameSessionHash)) continue;
    if (event === undefined || event.gameId !== toGameId(feedback.slug)) {
      checked.push({
        feedback,
        verdict: "DIVERGED",
        reason: `no score of ${feedback.slug} on chain is that of ${feedback.uri}`,
      });
    } else if (tier <= before) {
      checked.push({ feedback, verdict: "DIVERGED", reason: `tier ${tier} was published after tier ${before}` });
    } else checked.push({ feedback, ...(await checkFeedback(feedback, event, source, isHolder)) });
  }
  return checked;
}
