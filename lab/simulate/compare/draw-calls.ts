/** Random calls of the contracts, valid and invalid, near the times and amounts at which a rule's result changes. */
import type { Address, Hex } from "viem";
import { hashTypedData } from "../../../backend/adapters/signer/hash-typed-data.ts";
import { createSigningKey, type SigningKey } from "../../../backend/adapters/signer/secp256k1.ts";
import { type CallName, createCall } from "../../../domain/typed-data/calls.ts";
import { createTypedData, type PrimaryType } from "../../../domain/typed-data/messages.ts";
import type { Random } from "../../../testing/random.ts";
import type { ModelContracts } from "../chain/contracts.ts";
import { KEYS, SLUG, TIERS } from "./cast.ts";
import type { Message } from "./real-contracts.ts";

const DAY_SECONDS = 86_400;
const SEQUENCES = 24;
const GAME_ID: Hex = `0x${Buffer.from(SLUG).toString("hex").padEnd(64, "0")}`;
const SCORE_TOP = 2n ** 32n - 1n;

export interface Step {
  readonly what: CallName | "transfer";
  readonly message: Message;
  /** The time of its block in unix seconds. */
  readonly seconds: number;
  /** Records what the next calls are drawn from. */
  readonly onSuccess?: () => void;
}

const words = (random: Random, count: number): Hex => `0x${random.bytes(count).toString("hex")}`;

export class CallDrawer {
  readonly wallets: readonly Address[];
  /** Hashes of sessions in earlier calls. */
  readonly sessionHashes: Hex[] = [];
  readonly #random: Random;
  readonly #config: ModelContracts;
  readonly #players: readonly SigningKey[];
  /** Owners of the identities, whose ids start at 1. */
  readonly #owners: Address[] = [];
  /** Scores of the game's tokens, by id. */
  readonly #scores = new Map<string, bigint>();
  /** Times at which something ends. */
  readonly #edges: number[] = [];
  readonly #keys: { readonly [name in "identity" | "score" | "nft"]: SigningKey };
  #seconds: number;

  constructor(random: Random, config: ModelContracts, startSeconds: number) {
    this.#random = random;
    this.#config = config;
    this.#seconds = startSeconds;
    this.#players = [KEYS.first, KEYS.second, KEYS.third].map((key) => createSigningKey(key));
    this.wallets = this.#players.map(({ address }) => address);
    const [identity, score, nft] = [KEYS.identity, KEYS.score, KEYS.nft].map((key) => createSigningKey(key));
    this.#keys = { identity: identity!, score: score!, nft: nft! };
  }

  /** The number of identities. Their ids start at 1. */
  get identities(): number {
    return this.#owners.length;
  }

  next(): Step {
    const seconds = this.#drawTime();
    this.#seconds = seconds;
    const draw = this.#random.pick([
      ...[this.#drawIdentity, this.#drawNft, this.#drawNft],
      ...[this.#drawSnapshot, this.#drawSnapshot, this.#drawSnapshot, this.#drawBatch],
      ...[this.#drawPayout, this.#drawPayout, this.#drawPayout, this.#drawTransfer],
    ]);
    return { ...draw.call(this, seconds), seconds };
  }

  /** Learns from a call that succeeded. */
  noteSuccess({ what, seconds, onSuccess }: Step): void {
    onSuccess?.();
    const cooldown = Number(this.#config.limits.cooldownSeconds);
    if (what !== "transfer") this.#edges.push(seconds + cooldown - 1, seconds + cooldown);
  }

  /** A time slightly later, at an edge, or about a day later. */
  #drawTime(): number {
    const random = this.#random;
    const now = this.#seconds;
    const midnight = (Math.floor(now / DAY_SECONDS) + 1) * DAY_SECONDS;
    const edges = this.#edges.filter((edge) => edge > now && edge < now + DAY_SECONDS);
    if (edges.length > 0 && random.chance(0.4)) return random.pick(edges);
    if (random.chance(0.06)) return Math.max(now + 1, random.pick([midnight - 1, midnight, midnight + DAY_SECONDS]));
    return now + 1 + random.int(4);
  }

  #drawDeadline(seconds: number): number {
    const usual = seconds + 300;
    return this.#random.pick([
      ...Array.from({ length: 16 }, () => usual),
      ...[seconds, seconds - 1, seconds + DAY_SECONDS, seconds + DAY_SECONDS + 1],
    ]);
  }

  #sign(type: PrimaryType, contract: Address, key: SigningKey, message: { readonly [field: string]: unknown }): Hex {
    const random = this.#random;
    const context = { chainId: this.#config.deployment.chainId, verifyingContract: contract, slug: SLUG };
    const digest = hashTypedData(createTypedData(type, context, message));
    const signer = random.chance(0.04) ? this.#players[0]! : key;
    const signature = signer.signDigest(digest);
    if (!random.chance(0.05)) return signature;
    const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130)];
    return random.pick<Hex>([
      ...(["0x", `0x${r}${s}`, `0x${r}${s}00`, `0x${r}${s}${v}00`] as const),
      ...([`0x${r}${s}${v === "1b" ? "1c" : "1b"}`, `0x${s}${r}${v}`, `0x${"00".repeat(65)}`] as const),
    ]);
  }

  #drawIdentity(seconds: number): Omit<Step, "seconds"> {
    const random = this.#random;
    const { identity } = this.#config.deployment;
    const to = random.pick(this.wallets);
    const from = random.chance(0.1) ? random.pick(this.wallets) : to;
    const metadataDigest = random.chance(0.05) ? (`0x${"00".repeat(32)}` as const) : words(random, 32);
    const mints = this.#owners.filter((owner) => owner === to).length;
    const nonce = mints + (random.chance(0.08) ? 1 : 0);
    const deadline = String(this.#drawDeadline(seconds));
    const message = { to, metadataDigest, nonce: String(nonce), deadline };
    const signature = this.#sign("MintIdentity", identity, this.#keys.identity, message);
    const args = [to, metadataDigest, deadline, signature];
    const onSuccess = () => void this.#owners.push(to);
    if (random.chance(0.6)) return { ...this.#toStep("mintIdentityWithSignature", from, identity, args), onSuccess };
    // Anyone may send it with the wallet's consent; mostly the operator does.
    const wallet = this.#players.find(({ address }) => address === to)!;
    const consent = this.#sign("ConsentToMint", identity, wallet, message);
    const sender = random.pick([this.#config.operator, random.pick(this.wallets)]);
    return { ...this.#toStep("mintIdentityFor", sender, identity, [...args, consent]), onSuccess };
  }

  /** Mostly a valid call of an identity's owner, with a score near that of its token. */
  #drawNft(seconds: number): Omit<Step, "seconds"> {
    const random = this.#random;
    const nft = this.#config.deployment.nft[SLUG]!;
    const agentId = random.int(this.#owners.length + 1) + (random.chance(0.1) ? 1 : 0);
    const wallet = random.chance(0.9) ? (this.#owners[agentId - 1] ?? this.wallets[0]!) : random.pick(this.wallets);
    const recorded = this.#scores.get(String(agentId));
    const isMint = random.chance(recorded === undefined ? 0.8 : 0.15);
    const score = String(this.#drawNftScore(recorded));
    const deadline = String(this.#drawDeadline(seconds));
    const type = isMint ? "MintGameNft" : "UpgradeGameNft";
    const message = { wallet, agentId: String(agentId), score, deadline };
    const signature = this.#sign(type, nft, this.#keys.nft, message);
    const args = [wallet, String(agentId), score, deadline, signature];
    const onSuccess = () => this.#scores.set(String(agentId), BigInt(score));
    const step = this.#toStep(isMint ? "mintSigned" : "upgradeSigned", random.pick(this.wallets), nft, args);
    return { ...step, onSuccess };
  }

  #drawNftScore(recorded: bigint | undefined): bigint {
    const random = this.#random;
    const tiers = TIERS.flatMap((tier) => [tier - 1n, tier, tier + 1n]);
    if (random.chance(0.15)) return random.pick([0n, SCORE_TOP, SCORE_TOP + 1n]);
    if (recorded === undefined) return random.pick([...tiers, BigInt(random.int(300))]);
    return random.pick([recorded, recorded + 1n, recorded + BigInt(random.int(200)), ...tiers]);
  }

  #drawItem(): { readonly gameSessionHash: Hex; readonly gameId: Hex; readonly score: string } {
    const random = this.#random;
    const sequence = random.int(SEQUENCES).toString(16).padStart(16, "0");
    const gameSessionHash: Hex = `${words(random, 24)}${sequence}`;
    this.sessionHashes.push(gameSessionHash);
    const { maxScorePerSession } = this.#config.limits;
    const edges = [0n, 1n, maxScorePerSession, maxScorePerSession + 1n, 2n ** 40n - 1n, 2n ** 40n];
    const score = random.chance(0.25) ? random.pick(edges) : BigInt(1 + random.int(Number(maxScorePerSession)));
    return { gameSessionHash, gameId: GAME_ID, score: String(score) };
  }

  #drawSnapshot(seconds: number): Omit<Step, "seconds"> {
    const { rewards } = this.#config.deployment;
    const wallet = this.#random.pick(this.wallets);
    const { gameSessionHash, gameId, score } = this.#drawItem();
    const deadline = String(this.#drawDeadline(seconds));
    const message = { wallet, gameId, score, gameSessionHash, deadline };
    const signature = this.#sign("Snapshot", rewards, this.#keys.score, message);
    const args = [wallet, gameId, score, gameSessionHash, deadline, signature];
    return this.#toStep("snapshotScoreSigned", this.#random.pick(this.wallets), rewards, args);
  }

  #drawBatch(seconds: number): Omit<Step, "seconds"> {
    const random = this.#random;
    const { rewards } = this.#config.deployment;
    const wallet = random.pick(this.wallets);
    const drawn = Array.from({ length: random.int(4) }, () => this.#drawItem());
    const items = drawn.length > 0 && random.chance(0.1) ? [...drawn, drawn[0]!] : drawn;
    const deadline = String(this.#drawDeadline(seconds));
    const signature = this.#sign("SnapshotBatch", rewards, this.#keys.score, { wallet, items, deadline });
    const args = [wallet, items, deadline, signature];
    return this.#toStep("snapshotScoresSigned", random.pick(this.wallets), rewards, args);
  }

  #drawPayout(): Omit<Step, "seconds"> {
    const random = this.#random;
    const { operator, deployment } = this.#config;
    const wallet = random.pick(this.wallets);
    const from = random.pick([operator, operator, wallet, wallet, random.pick(this.wallets)]);
    if (random.chance(0.7)) return this.#toStep("payout", from, deployment.rewards, [wallet]);
    const { rate, maxPayout } = this.#config.limits;
    const leastAmount = random.pick([0n, 1n, rate, rate * BigInt(random.int(Number(maxPayout))), rate * maxPayout]);
    return this.#toStep("payoutAtLeast", from, deployment.rewards, [wallet, String(leastAmount)]);
  }

  /** An empty transfer, as the one that fills a gap in the nonces. */
  #drawTransfer(): Omit<Step, "seconds"> {
    const { operator } = this.#config;
    return { what: "transfer", message: { from: operator, to: operator, data: "0x" } };
  }

  #toStep(what: CallName, from: Address, to: Address, args: readonly unknown[]): Omit<Step, "seconds"> {
    const { data } = createCall(this.#config.deployment.chainId, to, what, args);
    return { what, message: { from, to, data } };
  }
}
