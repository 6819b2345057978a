/** The contracts' rules in TypeScript. `npm run lab -- compare-model` compares them with the compiled contracts. */
import type { Address, Hex } from "viem";
import { hashTypedData } from "../../../backend/adapters/signer/hash-typed-data.ts";
import { recoverSigner } from "../../../backend/adapters/signer/recover.ts";
import type { Deployment } from "../../../backend/ports/chain.ts";
import { CALLS } from "../../../domain/typed-data/calls.ts";
import { agentIdentityAbi, gameNFTAbi, rewardsV2Abi } from "../../../domain/typed-data/contract-abis.ts";
import { createTypedData, type PrimaryType } from "../../../domain/typed-data/messages.ts";
import { decodeArguments, encodeEvent, indexFunctions, type ModelEvent, ModelRevert } from "./encoding.ts";
import { keep } from "./keep.ts";
import { explainPayout, type PayoutTerms, windowOn } from "./payout-rule.ts";
import { type GameRecord, type Limits, NO_ACCOUNT, NO_HOLDER, type State } from "./state.ts";

const MAX_DEADLINE_SECONDS = 86_400n;
const SCORE_MAX = 2n ** 32n - 1n;
/** The highest score of one snapshot. */
const SESSION_SCORE_MAX = 2n ** 40n - 1n;
/** The contracts do not accept a v of 0 or 1. */
const HAS_CONTRACT_V = /1[bc]$/;
const ZERO = `0x${"0".repeat(40)}` as const;

export interface ModelContracts {
  readonly deployment: Deployment;
  readonly limits: Limits;
  readonly operator: Address;
  /** Has the same role. */
  readonly formerOperator?: Address;
  readonly signers: {
    readonly identity: Address;
    readonly score: Address;
    readonly nft: { readonly [slug: string]: Address };
  };
  /** The minimum scores of the tiers, ascending, by slug. */
  readonly tiers: { readonly [slug: string]: readonly bigint[] };
  /** The prefix of identities' URIs. */
  readonly baseUri: string;
}

export interface CallContext {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  /** Unix seconds of the block. */
  readonly time: bigint;
}

const functions = indexFunctions([CALLS]);
/** By the data of a call, which is estimated, executed, and executed again after a reorganization. */
const decodedCalls = new Map<Hex, readonly unknown[]>();
const key = (address: string): string => address.toLowerCase();
const sequenceOf = (hash: Hex): string => BigInt(`0x${hash.slice(-16)}`).toString();
const toMinute = (time: bigint): bigint => (time / 60n) * 60n;

interface Signed {
  readonly type: PrimaryType;
  readonly contract: Address;
  readonly slug?: string;
  readonly message: { readonly [field: string]: unknown };
  readonly deadline: bigint;
  readonly signature: Hex;
}

interface Item {
  readonly gameSessionHash: Hex;
  readonly gameId: Hex;
  readonly score: bigint;
}

type SnapshotArguments = [Address, Hex, bigint, Hex, bigint, Hex];

/** Executes transactions; a call that reverts changes nothing. */
export class Contracts {
  readonly config: ModelContracts;

  constructor(config: ModelContracts) {
    this.config = config;
  }

  /** Changes `state`, and returns the events. Throws `ModelRevert`. */
  execute(state: State, call: CallContext): readonly ModelEvent[] {
    const item = functions.get(call.data.slice(0, 10));
    // An empty transfer, like one that fills a nonce gap.
    if (item === undefined) return [];
    const args = keep(decodedCalls, call.data, () => decodeArguments(item.inputs, call.data));
    switch (item.name) {
      case "mintIdentityWithSignature":
      case "mintIdentityFor":
        return this.#mintIdentity(state, call, args);
      case "mintSigned":
      case "upgradeSigned":
        return this.#recordGame(state, call, item.name === "mintSigned", args);
      case "snapshotScoreSigned":
        return this.#snapshot(state, call, args);
      case "snapshotScoresSigned":
        return this.#snapshotBatch(state, call, args);
      case "payout":
      case "payoutAtLeast":
        return this.#payout(state, call, args[0] as Address, args[1] as bigint | undefined);
      default:
        throw new Error(`the chain model has no function ${item.name}`);
    }
  }

  /** The terms of a payout to the wallet in a block of this time. */
  explainPayout(state: State, wallet: string, time: bigint): PayoutTerms {
    const { limits, deployment } = this.config;
    return explainPayout(state, limits, key(wallet), state.tokens.get(key(deployment.rewards)) ?? 0n, time);
  }

  tierOf(slug: string, score: bigint): number {
    return this.config.tiers[slug]!.filter((least) => score >= least).length;
  }

  #checkSigned(signed: Signed & { readonly signer: Address }, time: bigint): void {
    const { deadline, signer } = signed;
    if (deadline < time) throw new ModelRevert("DeadlineExpired", [deadline]);
    if (deadline - time > MAX_DEADLINE_SECONDS)
      throw new ModelRevert("DeadlineTooFar", [deadline, time + MAX_DEADLINE_SECONDS]);
    const recovered = this.#recover(signed);
    if (recovered !== signer) throw new ModelRevert("InvalidSignature", [recovered ?? ZERO]);
  }

  #recover({ type, contract, slug, message, deadline, signature }: Signed): Address | null {
    const { chainId } = this.config.deployment;
    const context = { chainId, verifyingContract: contract, ...(slug === undefined ? {} : { slug }) };
    const typedData = createTypedData(type, context, { ...message, deadline: deadline.toString() });
    return HAS_CONTRACT_V.test(signature) ? recoverSigner(hashTypedData(typedData), signature) : null;
  }

  #mintIdentity(state: State, { from, time }: CallContext, args: readonly unknown[]): readonly ModelEvent[] {
    // The last argument is the wallet's consent, with which anyone may send the call.
    const [to, digest, deadline, signature, consent] = args as [Address, Hex, bigint, Hex, Hex?];
    const { deployment, signers, baseUri } = this.config;
    if (consent === undefined && key(from) !== key(to)) throw new ModelRevert("NotWallet", [from, to]);
    const holder = state.holders.get(key(to)) ?? NO_HOLDER;
    const message = { to, metadataDigest: digest, nonce: holder.mintNonce.toString() };
    const contract = deployment.identity;
    const mint = { contract, message, deadline };
    const willing = consent === undefined ? to : this.#recover({ type: "ConsentToMint", ...mint, signature: consent });
    if (willing !== to) throw new ModelRevert("InvalidConsent", [to]);
    this.#checkSigned({ type: "MintIdentity", ...mint, signer: signers.identity, signature }, time);
    const agentId = state.lastAgentId + 1n;
    state.lastAgentId = agentId;
    state.identityOwners.set(agentId, key(to));
    const uri = BigInt(digest) === 0n ? "" : `${baseUri}${digest.slice(2)}.json`;
    const primary = holder.primaryId === 0n ? { primaryId: agentId, primarySince: time } : {};
    const counts = { mintNonce: holder.mintNonce + 1n, balance: holder.balance + 1n };
    state.holders.set(key(to), { ...holder, ...primary, ...counts });
    return [
      encodeEvent(agentIdentityAbi, contract, "Transfer", [ZERO, to, agentId]),
      encodeEvent(agentIdentityAbi, contract, "Registered", [agentId, uri, to]),
    ];
  }

  #recordGame(state: State, call: CallContext, isMint: boolean, args: readonly unknown[]): readonly ModelEvent[] {
    const [wallet, agentId, score, deadline, signature] = args as [Address, bigint, bigint, bigint, Hex];
    const { deployment, signers } = this.config;
    const slug = Object.keys(deployment.nft).find((name) => key(deployment.nft[name]!) === key(call.to))!;
    const contract = deployment.nft[slug]!;
    const message = { wallet, agentId: agentId.toString(), score: score.toString() };
    const type = isMint ? "MintGameNft" : "UpgradeGameNft";
    this.#checkSigned({ type, contract, signer: signers.nft[slug]!, slug, message, deadline, signature }, call.time);
    const recordKey = `${slug}:${agentId}`;
    const record = state.records.get(recordKey);
    if (isMint && record !== undefined) throw new ModelRevert("AlreadyMinted", [agentId]);
    if (!isMint) this.#checkUpgrade(record, wallet, agentId, score);
    const tier = this.#requireTier(slug, score);
    const identityOwner = state.identityOwners.get(agentId);
    if (isMint && identityOwner === undefined) throw new ModelRevert("ERC721NonexistentToken", [agentId]);
    if (isMint && identityOwner !== key(wallet)) throw new ModelRevert("NotIdentityOwner", [wallet, agentId]);
    const emit = (name: string, values: readonly unknown[]) => encodeEvent(gameNFTAbi, contract, name, values);
    if (record === undefined) {
      const mintedAt = toMinute(call.time);
      state.records.set(recordKey, { owner: key(wallet), score, mintedAt, upgradedAt: 0n, upgrades: 0n });
      return [emit("Transfer", [ZERO, wallet, agentId]), emit("GameNftMinted", [wallet, agentId, score, BigInt(tier)])];
    }
    const upgraded = { score, upgradedAt: toMinute(call.time), upgrades: record.upgrades + 1n };
    state.records.set(recordKey, { ...record, ...upgraded });
    return [emit("GameNftUpgraded", [wallet, agentId, record.score, score, BigInt(tier)])];
  }

  #checkUpgrade(record: GameRecord | undefined, wallet: Address, agentId: bigint, score: bigint): void {
    if (record === undefined) throw new ModelRevert("ERC721NonexistentToken", [agentId]);
    if (record.owner !== key(wallet)) throw new ModelRevert("NotTokenOwner", [wallet, agentId]);
    if (score <= record.score) throw new ModelRevert("ScoreNotHigher", [score, record.score]);
  }

  #requireTier(slug: string, score: bigint): number {
    if (score > SCORE_MAX) throw new ModelRevert("ScoreOutOfRange", [score, SCORE_MAX]);
    const tier = this.tierOf(slug, score);
    if (tier === 0) throw new ModelRevert("ScoreBelowFirstTier", [score, this.config.tiers[slug]![0]!]);
    return tier;
  }

  #snapshot(state: State, { time }: CallContext, args: readonly unknown[]): readonly ModelEvent[] {
    const [wallet, gameId, score, gameSessionHash, deadline, signature] = args as SnapshotArguments;
    const { deployment, signers } = this.config;
    const message = { wallet, gameId, score: score.toString(), gameSessionHash };
    const contract = deployment.rewards;
    this.#checkSigned({ type: "Snapshot", contract, signer: signers.score, message, deadline, signature }, time);
    return this.#credit(state, wallet, [{ gameSessionHash, gameId, score }], time);
  }

  #snapshotBatch(state: State, { time }: CallContext, args: readonly unknown[]): readonly ModelEvent[] {
    const [wallet, items, deadline, signature] = args as [Address, readonly Item[], bigint, Hex];
    if (items.length === 0) throw new ModelRevert("EmptyBatch");
    const { deployment, signers } = this.config;
    const message = { wallet, items: items.map((item) => ({ ...item, score: item.score.toString() })) };
    const contract = deployment.rewards;
    this.#checkSigned({ type: "SnapshotBatch", contract, signer: signers.score, message, deadline, signature }, time);
    return this.#credit(state, wallet, items, time);
  }

  #credit(state: State, wallet: Address, items: readonly Item[], time: bigint): readonly ModelEvent[] {
    const { deployment, limits } = this.config;
    const before = state.accounts.get(key(wallet)) ?? NO_ACCOUNT;
    let account = before.snapshots === 0n && before.scorebank === 0n ? { ...before, firstPlayAt: time } : before;
    const events: ModelEvent[] = [];
    const seen = new Set<string>();
    for (const { gameSessionHash, gameId, score } of items) {
      const session = `${key(wallet)}:${sequenceOf(gameSessionHash)}`;
      if (state.consumed.has(session) || seen.has(session))
        throw new ModelRevert("SessionAlreadyConsumed", [wallet, gameSessionHash]);
      if (score === 0n || score > SESSION_SCORE_MAX)
        throw new ModelRevert("ScoreOutOfRange", [score, SESSION_SCORE_MAX]);
      seen.add(session);
      const emit = (name: string, args: readonly unknown[]) =>
        events.push(encodeEvent(rewardsV2Abi, deployment.rewards, name, args));
      emit("ScoreSnapshot", [wallet, gameId, gameSessionHash, score, account.scorebank + score]);
      const credited = score > limits.maxScorePerSession ? limits.maxScorePerSession : score;
      const scorebank = account.scorebank + credited;
      if (credited < score) emit("PointsVoided", [wallet, score - credited, scorebank, ZERO]);
      account = { ...account, scorebank, lastSnapshotAt: time, snapshots: account.snapshots + 1n };
    }
    for (const session of seen) state.consumed.add(session);
    state.accounts.set(key(wallet), account);
    return events;
  }

  #payout(state: State, { from, time }: CallContext, wallet: Address, leastAmount = 0n): readonly ModelEvent[] {
    const { operator, formerOperator, deployment } = this.config;
    if (![wallet, operator, formerOperator].some((one) => one !== undefined && key(one) === key(from)))
      throw new ModelRevert("NotWalletOrOperator", [from]);
    const { points, amount, revert } = this.explainPayout(state, wallet, time);
    if (revert !== null) throw new ModelRevert(revert.name, revert.args);
    if (amount < leastAmount) throw new ModelRevert("PayoutTooSmall", [amount, leastAmount]);
    const account = state.accounts.get(key(wallet))!;
    const scorebank = account.scorebank - points;
    state.accounts.set(key(wallet), { ...account, scorebank, lastPayoutAt: time });
    Object.assign(state, windowOn(state, time));
    state.paidToday += points;
    state.paidThisWeek += points;
    const move = (address: string, by: bigint) =>
      state.tokens.set(key(address), (state.tokens.get(key(address)) ?? 0n) + by);
    move(deployment.rewards, -amount);
    move(wallet, amount);
    state.paid.set(key(wallet), (state.paid.get(key(wallet)) ?? 0n) + points);
    return [encodeEvent(rewardsV2Abi, deployment.rewards, "Payout", [wallet, state.day, points, amount, scorebank])];
  }
}
