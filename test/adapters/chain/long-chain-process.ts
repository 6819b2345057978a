/**
 * A node in a separate process, whose chain is already long when the service starts. Its argument is the number of
 * blocks; one of every 500 has a mint. Prints its address, and runs until it is stopped.
 */
import { createHash } from "node:crypto";
import type { Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { hashTypedData } from "../../../backend/adapters/signer/hash-typed-data.ts";
import { createSigningKey } from "../../../backend/adapters/signer/secp256k1.ts";
import { createCall } from "../../../domain/typed-data/calls.ts";
import { createTypedData } from "../../../domain/typed-data/messages.ts";
import { Chain, NodeError } from "../../../lab/simulate/chain/chain.ts";
import { ModelNode } from "../../../lab/simulate/chain/node.ts";
import { createFixtures } from "../../../lab/simulate/run/fixtures.ts";
import { Random } from "../../../testing/random.ts";
import { startServer } from "../../helpers/http-server.ts";
import { BLOCKS_PER_MINT } from "./long-chain.ts";

interface Question {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly unknown[];
}

const BLOCK_SECONDS = 2;
const DEADLINE_SECONDS = 300;
/** The range limit of many nodes: the catch-up takes a thousand requests for logs. */
const RANGE_BLOCKS_MAX = 100;

const { contracts, keys, initialState } = await createFixtures();
const { chainId, identity } = contracts.config.deployment;
const signer = createSigningKey(keys.identity as Hex);
const chain = new Chain(contracts, new Random(1), initialState.chain);

/** A different wallet for each block, so that mints are independent. */
function sendMint(block: number, seconds: number): void {
  const to = privateKeyToAddress(`0x${createHash("sha256").update(`wallet ${block}`).digest("hex")}`);
  const metadataDigest = `0x${createHash("sha256").update(`document ${block}`).digest("hex")}`;
  const message = { to, metadataDigest, nonce: "0", deadline: String(seconds + DEADLINE_SECONDS) };
  const typedData = createTypedData("MintIdentity", { chainId, verifyingContract: identity }, message);
  const args = [to, metadataDigest, message.deadline, signer.signDigest(hashTypedData(typedData))];
  chain.sendCall(to, identity, createCall(chainId, identity, "mintIdentityWithSignature", args).data);
}

for (let block = 1; block <= Number(process.argv[2]); block++) {
  const seconds = Math.floor(initialState.startMs / 1000) + block * BLOCK_SECONDS;
  if (block % BLOCKS_PER_MINT === 0) sendMint(block, seconds);
  chain.mine(seconds);
}

const node = new ModelNode({ chain, chainId, lagBlocks: 0, rangeMax: RANGE_BLOCKS_MAX });

function answer({ id, method, params = [] }: Question): object {
  try {
    return { jsonrpc: "2.0", id, result: node.handle(method, params) };
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const { code, message, data } = error;
    return { jsonrpc: "2.0", id, error: { code, message, data } };
  }
}

const { url } = await startServer((body, response) => {
  response.end(JSON.stringify((JSON.parse(body) as readonly Question[]).map(answer)));
});
console.log(url);
