/** The compiled contracts on an EVM in this process (EDR), with the interface of the chain model. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Abi, type Address, encodeDeployData, encodeFunctionData, type Hex, parseAbi } from "viem";
import { decodeLog } from "../../../backend/adapters/chain/events.ts";
import { createSigningKey } from "../../../backend/adapters/signer/secp256k1.ts";
import type { Deployment } from "../../../backend/ports/chain.ts";
import { LOCAL_CHAIN_ID } from "../../../domain/chain-ids.ts";
import { type Provider, startEngine } from "../../../local-chain/engine.ts";
import { root } from "../../../scripts/start/build.ts";
import type { ModelContracts } from "../chain/contracts.ts";
import { TOKEN } from "../chain/views.ts";
import { KEYS, LIMITS, SLUG, TIERS } from "./cast.ts";

/** Unix seconds of block 0: a Saturday, so that the week ends after a day or two. */
const GENESIS_SECONDS = Date.UTC(2031, 4, 17, 9) / 1000;
/** More gas than any of the calls needs. */
const GAS: Hex = "0xb71b00";
const DAY_SECONDS = 86_400;
const ZERO: Address = `0x${"0".repeat(40)}`;
const BASE_URI = "https://arcade.example/api/metadata/identity/";
const tokenAbi = parseAbi(["function transfer(address to, uint256 value)"]);

/** A log as in JSON-RPC, without its position. */
export interface PlainEvent {
  readonly address: Hex;
  readonly topics: [Hex, ...Hex[]];
  readonly data: Hex;
}

export interface Outcome {
  /** The revert data; null if the call succeeded. */
  readonly revert: Hex | null;
  /** The events that the service reads. */
  readonly events: readonly PlainEvent[];
}

export interface Message {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
}

interface Receipt {
  readonly status: Hex;
  readonly contractAddress: Address;
  readonly logs: readonly PlainEvent[];
}

interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

const addressOf = (key: Hex): Address => createSigningKey(key).address;

const readArtifact = (name: string): Artifact =>
  JSON.parse(readFileSync(join(root, "deploy/compiled", `${name}.json`), "utf8"));

export class RealContracts {
  readonly config: ModelContracts;
  /** Unix seconds of the block in which the contracts are ready. */
  readonly startSeconds: number;
  readonly #provider: Provider;

  private constructor(provider: Provider, config: ModelContracts, startSeconds: number) {
    this.#provider = provider;
    this.config = config;
    this.startSeconds = startSeconds;
  }

  static async deploy(): Promise<RealContracts> {
    const provider = await startEngine(GENESIS_SECONDS, Object.values(KEYS));
    const create = async (name: string, args: readonly unknown[]): Promise<Address> => {
      const { abi, bytecode } = readArtifact(name);
      const data = encodeDeployData({ abi, bytecode, args });
      return (await send(provider, { from: addressOf(KEYS.admin), data })).contractAddress;
    };
    const dutiesOf = (signer: Hex) => ({
      ...{ admin: addressOf(KEYS.admin), adminDelaySeconds: DAY_SECONDS, guardian: ZERO },
      ...{ signer: addressOf(signer), signerIsContract: false, signerDelaySeconds: DAY_SECONDS },
    });
    const admin = addressOf(KEYS.admin);
    const operator = addressOf(KEYS.operator);
    const token = await create("RewardToken", [TOKEN.name, TOKEN.symbol, TOKEN.supply, admin]);
    const identity = await create("AgentIdentity", [dutiesOf(KEYS.identity), "Agents", "AGENT", BASE_URI]);
    const game = [SLUG, "Tally", "TALLY", TIERS, "https://arcade.example/", admin, 0n];
    const nft = await create("GameNFT", [dutiesOf(KEYS.nft), identity, ...game]);
    const { rate, cooldownSeconds, minScore, maxPayout, dailyCap, weeklyCap, maxScorePerSession } = LIMITS;
    const amounts = { maxPayout: maxPayout * rate, dailyCap: dailyCap * rate, weeklyCap: weeklyCap * rate };
    const counts = { scoreToTokenRate: rate, payoutCooldown: cooldownSeconds, minScore, maxScorePerSession };
    const rewards = await create("RewardsV2", [
      ...[dutiesOf(KEYS.score), operator, token, identity],
      { ...counts, ...amounts },
    ]);
    const signers = { identity: addressOf(KEYS.identity), score: addressOf(KEYS.score) };
    const addresses = { identity, rewards, token, market: null, nft: { [SLUG]: nft } };
    const deployment: Deployment = { chainId: LOCAL_CHAIN_ID, startBlock: 1, ...addresses };
    const config: ModelContracts = {
      ...{ deployment, limits: LIMITS, operator, baseUri: BASE_URI, tiers: { [SLUG]: TIERS } },
      signers: { ...signers, nft: { [SLUG]: addressOf(KEYS.nft) } },
    };
    const { timestamp } = (await provider.request({
      method: "eth_getBlockByNumber",
      params: ["latest", false],
    })) as { readonly timestamp: Hex };
    return new RealContracts(provider, config, Number(timestamp));
  }

  /** Funds the rewards contract; `amount` in token base units. */
  async fund(amount: bigint): Promise<void> {
    const { token, rewards } = this.config.deployment;
    const data = encodeFunctionData({ abi: tokenAbi, functionName: "transfer", args: [rewards, amount] });
    await this.#setTime(this.startSeconds + 1);
    await send(this.#provider, { from: addressOf(KEYS.admin), to: token, data });
  }

  /** Does the work and reverts all blocks that it mined. */
  async runAndRevert<T>(work: () => Promise<T>): Promise<T> {
    const snapshot = await this.#provider.request({ method: "evm_snapshot", params: [] });
    try {
      return await work();
    } finally {
      await this.#provider.request({ method: "evm_revert", params: [snapshot] });
    }
  }

  /** Executes a call in a separate block at this time, Unix seconds. */
  async execute(message: Message, seconds: number): Promise<Outcome> {
    await this.#setTime(seconds);
    const revert = await this.#readRevert(message, "pending");
    const { status, logs } = await send(this.#provider, message);
    if ((status === "0x1") !== (revert === null)) throw new Error("the EVM calls and sends with different outcomes");
    return { revert, events: this.#listEvents(logs) };
  }

  /** The result of a view at the last block, or its revert data. */
  async read(to: Address, data: Hex): Promise<Hex> {
    try {
      return (await this.#provider.request({ method: "eth_call", params: [{ to, data }, "latest"] })) as Hex;
    } catch (error) {
      return toRevertData(error);
    }
  }

  async close(): Promise<void> {
    await this.#provider.close();
  }

  async #setTime(seconds: number): Promise<void> {
    await this.#provider.request({ method: "evm_setNextBlockTimestamp", params: [seconds] });
  }

  async #readRevert(message: Message, block: string): Promise<Hex | null> {
    try {
      await this.#provider.request({ method: "eth_call", params: [{ ...message, gas: GAS }, block] });
      return null;
    } catch (error) {
      return toRevertData(error);
    }
  }

  #listEvents(logs: readonly PlainEvent[]): readonly PlainEvent[] {
    const { deployment } = this.config;
    return logs
      .filter((log) => log.address !== deployment.token.toLowerCase() && decodeLog(deployment, log) !== null)
      .map(({ address, topics, data }) => ({ address, topics, data }));
  }
}

/** The bytes of a revert; throws any other error. */
function toRevertData(error: unknown): Hex {
  const { data } = error as { readonly data?: unknown };
  if (typeof data === "string" && data.startsWith("0x")) return data as Hex;
  throw error;
}

async function send(provider: Provider, message: Partial<Message>): Promise<Receipt> {
  const hash = await provider.request({ method: "eth_sendTransaction", params: [{ ...message, gas: GAS }] });
  return (await provider.request({ method: "eth_getTransactionReceipt", params: [hash] })) as Receipt;
}
