/** Runs without agents: blocks of other wallets, and faults of what a backend reads of the chain. */
import type { Hex } from "viem";
import { hashTypedData } from "../../../backend/adapters/signer/hash-typed-data.ts";
import { createSigningKey } from "../../../backend/adapters/signer/secp256k1.ts";
import { createCall } from "../../../domain/typed-data/calls.ts";
import { createTypedData } from "../../../domain/typed-data/messages.ts";
import type { Random } from "../../../testing/random.ts";
import { keep } from "../chain/keep.ts";
import { NO_HOLDER } from "../chain/state.ts";
import { drawReorgAtAnswer, type Fault, type FaultPlan, type WindowKind } from "./faults.ts";
import type { RunKind } from "./kinds.ts";
import { drawFarBehind } from "./later-faults.ts";
import { LOGS_OF_BLOCKS } from "./node-link.ts";
import type { World } from "./world.ts";

const DEADLINE_SECONDS = 20_000;
/** The shares of blocks with a mint, and with an empty transfer. */
const MINTED = 0.3;
const MINTED_AT_ONCE = 0.05;
const TRANSFERRED = 0.2;
/** Blocks that are there already when the backend starts: more than it reads one by one. */
const BLOCKS = { least: 70, most: 150 };
/** Signing takes longer than a block. */
const calls = new Map<string, Hex>();

/** Another wallet's mint of an identity. */
function sendMint({ chain, fixtures, randoms, initialState }: World): void {
  const { identity, chainId } = chain.contracts.config.deployment;
  const { address: to } = randoms.chain.pick(fixtures.wallets.slice(1));
  const nonce = String((chain.head.state.holders.get(to.toLowerCase()) ?? NO_HOLDER).mintNonce);
  const deadline = String(Math.floor(initialState.startMs / 1000) + DEADLINE_SECONDS);
  const data = keep(calls, `${to} ${nonce} ${deadline}`, () => {
    const metadataDigest: Hex = `0x${nonce.padStart(64, "0")}`;
    const message = { to, metadataDigest, nonce, deadline };
    const typedData = createTypedData("MintIdentity", { chainId, verifyingContract: identity }, message);
    const signature = createSigningKey(fixtures.keys.identity as Hex).signDigest(hashTypedData(typedData));
    return createCall(chainId, identity, "mintIdentityWithSignature", [to, metadataDigest, deadline, signature]).data;
  });
  chain.sendCall(to, identity, data);
}

/** Call it before a block. */
export function fillBlock(world: World, minted = MINTED): void {
  if (world.kind.name !== "chain") return;
  const { chain, randoms, fixtures } = world;
  if (randoms.chain.chance(minted)) sendMint(world);
  if (randoms.chain.chance(TRANSFERRED))
    chain.sendCall(fixtures.wallets[1]!.address, fixtures.wallets[2]!.address, "0x");
}

export function mineAtOnce(world: World, count: number): void {
  const { chain } = world;
  const { onChanged } = chain;
  // Each check looks at all blocks.
  chain.onChanged = () => undefined;
  for (let block = 0; block < count; block++) {
    fillBlock(world, MINTED_AT_ONCE);
    chain.mine(world.unixSeconds);
  }
  chain.onChanged = onChanged;
  onChanged();
}

/** Whether the contracts are new: a reorganization may drop the first of their blocks. */
export const isFresh = (seed: number): boolean => seed % 3 === 0;

/** Makes the blocks that are there when the backend starts. */
export function beginChain(world: World, seed: number): void {
  if (world.kind.name !== "chain") return;
  const { chain, randoms } = world;
  const blocks = BLOCKS.least + randoms.chain.int(BLOCKS.most - BLOCKS.least);
  if (isFresh(seed)) {
    for (let block = 0; block < blocks; block++) chain.mine(world.unixSeconds);
    world.deployment = { ...world.deployment, startBlock: chain.head.number + 1 };
  } else mineAtOnce(world, blocks);
}

const DEPTHS = [1, 1, 2, 3, 5, 10];
const AT_ONCE = [2, 20, 63, 64, 65, 66, 90, 200, 400];
const WINDOWS: readonly WindowKind[] = [
  ...(["node silent", "node errors", "node slow", "node behind", "log range limit", "log range limit"] as const),
  ...(["logs late", "logs late", "tag unknown", "tag unknown", "disk full", "disk locked"] as const),
];
/** Shorter than the time until logs are read again. */
const LATE_MAX_MS = 7_000;

type Draw = (random: Random, kind: RunKind) => Fault;
const drawTime = (random: Random, { faultsWithinMs }: RunKind): number =>
  Math.floor(random.between(500, faultsWithinMs));

const drawWindow: Draw = (random, kind) => {
  const window = random.pick(WINDOWS);
  const mostMs = window === "logs late" ? LATE_MAX_MS : kind.windowMaxMs;
  return {
    kind: window as "node silent",
    atMs: drawTime(random, kind),
    forMs: Math.floor(random.between(500, mostMs)),
  };
};

/** What the indexer asks. */
const READS = ["eth_getLogs", "eth_getBlockByNumber", "eth_call"];
const READS_MAX = 60;
const drawReorgAtRead: Draw = (random) => drawReorgAtAnswer(random, READS, READS_MAX);
/** While logs are read again. */
const SECOND_READS_MAX = 8;
const drawReorgAtSecondRead: Draw = (random) => drawReorgAtAnswer(random, [LOGS_OF_BLOCKS], SECOND_READS_MAX);

const DRAWS: readonly Draw[] = [
  ...[drawWindow, drawWindow, drawWindow],
  (random, kind) => ({ kind: "reorg", atMs: drawTime(random, kind), depth: random.pick(DEPTHS), forgotten: 0.2 }),
  (random, kind) => ({ kind: "reorg", atMs: drawTime(random, kind), depth: random.pick(DEPTHS), forgotten: 0.2 }),
  ...[drawReorgAtRead, drawReorgAtRead, drawReorgAtSecondRead, drawReorgAtSecondRead, drawFarBehind],
  (random, kind) => ({ kind: "blocks at once", atMs: drawTime(random, kind), count: random.pick(AT_ONCE) }),
  (random, kind) => ({ kind: "crash", atMs: drawTime(random, kind), downMs: Math.floor(random.between(100, 6_000)) }),
  (random) => ({ kind: "logs missing once", count: 1 + random.int(12) }),
];
const WRITES_MAX = 90;

/** One of three runs has blocks that come while logs are late or limited. */
const LAGGING = 0.33;

export function drawChainFaults(random: Random, kind: RunKind): FaultPlan {
  const drawn = Array.from({ length: kind.drawFaultCount(random) }, () => random.pick(DRAWS)(random, kind));
  const atMs = drawTime(random, kind);
  const window = random.pick(["logs late", "log range limit"] as const);
  const lagging: FaultPlan = [
    { kind: window, atMs: atMs - 100, forMs: 5_000 },
    { kind: "blocks at once", atMs, count: 90 + random.int(200) },
  ];
  const full = Array.from(
    { length: 2 },
    () => ({ kind: "disk full once", count: 1 + random.int(WRITES_MAX) }) as const,
  );
  const plan = [...drawn, ...full, ...(random.chance(LAGGING) ? lagging : [])];
  // Events that both reads miss are lost.
  const first = plan.find(({ kind }) => kind.startsWith("logs"));
  return plan.filter((fault) => fault === first || !fault.kind.startsWith("logs"));
}
