/** Subcommands of `npm run chain`: save, restore and move the local chain while `npm start` runs it. */
import { type Client, createClient, HttpRequestError, http, RpcRequestError, TimeoutError } from "viem";
import { isLocalChain } from "../../domain/chain-ids.ts";
import { findQuantityFault } from "../../domain/rpc-quantities.ts";
import { toIso } from "../../domain/time.ts";
import { parseAddress } from "../admin/chain/target.ts";
import { type Argument, type Command, defineCommand } from "../cli/command.ts";
import { CommandError, EXIT, UsageError } from "../cli/failures.ts";
import { findGivenNode, RPC_FLAG } from "../cli/node.ts";
import { readServiceConfig } from "../cli/service-config.ts";
import { proxy } from "./proxy.ts";

type RpcCall = (method: string, params?: readonly unknown[]) => Promise<unknown>;

interface Outcome {
  readonly message: string;
  /** The line of `--json`. */
  readonly result: object;
}

const ETHER = 10n ** 18n;
const RPC_TIMEOUT_MS = 60_000;
const BLOCKS_MAX = 10_000;
const DAYS_MAX = 3_650;
const SECONDS: { readonly [unit: string]: number } = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Turns a failed request to the local chain into a command error. */
function toCommandError(cause: unknown, rpcUrl: string): unknown {
  if (cause instanceof CommandError || cause instanceof UsageError) return cause;
  if (cause instanceof HttpRequestError || cause instanceof TimeoutError) {
    const next = "start it with `npm start`, or set its address with --rpc";
    return new CommandError(`No chain answers at ${rpcUrl}.`, { exitCode: EXIT.chain, next, cause });
  }
  const found = (cause as { walk?: (is: (error: unknown) => boolean) => unknown }).walk?.(
    (error) => error instanceof RpcRequestError,
  );
  return found instanceof RpcRequestError ? new CommandError(found.details, { cause }) : cause;
}

/**
 * Runs `work` on the local chain. Throws `CommandError` with exit code 3 if the node does not answer or serves another
 * chain.
 */
async function onLocalChain(rpcUrl: string, work: (call: RpcCall) => Promise<Outcome>): Promise<Outcome> {
  const client: Client = createClient({ transport: http(rpcUrl, { retryCount: 0, timeout: RPC_TIMEOUT_MS }) });
  const call: RpcCall = (method, params = []) => client.request({ method, params } as never);
  try {
    const answer = await call("eth_chainId");
    const fault = findQuantityFault("eth_chainId", answer);
    if (fault !== null)
      throw new CommandError(`The node at ${rpcUrl} returns ${fault}.`, {
        exitCode: EXIT.chain,
        next: "start the local chain with `npm start`, or set its address with --rpc",
      });
    const chainId = Number(answer);
    if (!isLocalChain(chainId)) {
      const message = `${rpcUrl} serves chain ${chainId}; this command is only for the local chain.`;
      throw new CommandError(message, { exitCode: EXIT.chain });
    }
    return await work(call);
  } catch (error) {
    throw toCommandError(error, rpcUrl);
  }
}

const getRpcUrl = (flags: { readonly rpc?: string }): string =>
  findGivenNode(flags) ?? `http://127.0.0.1:${readServiceConfig().rpcPort}`;

interface ChainCommand<Value> {
  readonly verb: string;
  readonly summary: string;
  readonly argument: Argument & { readonly value: string };
  readonly example: string;
  /** Checks the argument's text before a request. Throws `UsageError`. */
  parse(text: string): Value;
  run(call: RpcCall, value: Value): Promise<Outcome>;
}

const defineChainCommand = <Value>({ verb, summary, argument, example, parse, run }: ChainCommand<Value>): Command =>
  defineCommand({
    name: verb,
    summary,
    args: { value: argument },
    flags: RPC_FLAG,
    examples: [`npm run chain -- ${verb} ${example}`],
    async run({ flags, args }, terminal) {
      const value = parse(args.value);
      const { message, result } = await onLocalChain(getRpcUrl(flags), (call) => run(call, value));
      terminal.print(message);
      terminal.printJson(result);
      return EXIT.ok;
    },
  });

function parseBlockCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= BLOCKS_MAX) return count;
  throw new UsageError(`mine: expected a whole number from 1 to ${BLOCKS_MAX}, received "${text}"`);
}

function parseDurationSeconds(text: string): number {
  const [, digits, unit] = /^(\d+)([smhd])$/.exec(text) ?? [];
  const seconds = Number(digits) * (SECONDS[unit ?? ""] ?? Number.NaN);
  if (seconds >= 1 && seconds <= DAYS_MAX * SECONDS.d!) return seconds;
  throw new UsageError(`travel: expected a time like 90s, 15m, 24h or 7d, received "${text}"`);
}

async function getHead(call: RpcCall) {
  const { number, timestamp } = (await call("eth_getBlockByNumber", ["latest", false])) as {
    readonly number: string;
    readonly timestamp: string;
  };
  return { block: Number(number), time: toIso(Number(timestamp) * 1_000) };
}

const save = defineChainCommand({
  verb: "save",
  summary: "saves the chain's current state",
  argument: { value: "NAME", help: "name of the saved chain" },
  example: "before-payout",
  parse: (name) => name,
  async run(call, name) {
    const result = (await call("arcade_saveChain", [name])) as { readonly blockNumber: number };
    return { result, message: `Saved the chain at block ${result.blockNumber} as ${name}.` };
  },
});

const load = defineChainCommand({
  verb: "load",
  summary: "restores a saved chain; the service follows automatically",
  argument: { value: "NAME", help: "name of the saved chain" },
  example: "before-payout",
  parse: (name) => name,
  async run(call, name) {
    const result = (await call("arcade_loadChain", [name])) as { readonly blockNumber: number };
    return { result, message: `The chain is at block ${result.blockNumber} again, as saved under ${name}.` };
  },
});

const travel = defineChainCommand({
  verb: "travel",
  summary: "moves the chain's clock forward and mines a block",
  argument: { value: "TIME", help: "90s, 15m, 24h or 7d" },
  example: "24h",
  parse: parseDurationSeconds,
  async run(call, seconds) {
    await call("evm_increaseTime", [seconds]);
    await call("evm_mine");
    const head = await getHead(call);
    return { result: { seconds, ...head }, message: `The chain's clock is at ${head.time} (block ${head.block}).` };
  },
});

const mine = defineChainCommand({
  verb: "mine",
  summary: "mines empty blocks",
  argument: { value: "N", help: "number of blocks" },
  example: "5",
  parse: parseBlockCount,
  async run(call, mined) {
    await call("hardhat_mine", [`0x${mined.toString(16)}`]);
    const head = await getHead(call);
    return { result: { mined, ...head }, message: `Mined ${mined}; the head is block ${head.block}.` };
  },
});

const fund = defineChainCommand({
  verb: "fund",
  summary: "sends 1 ether from the faucet",
  argument: { value: "ADDRESS", help: "the recipient" },
  example: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  parse: (address) => parseAddress("fund", address),
  async run(call, address) {
    const txHash = await call("arcade_fund", [address, `0x${ETHER.toString(16)}`]);
    const balance = BigInt((await call("eth_getBalance", [address, "latest"])) as string);
    const result = { address, txHash, balanceWei: balance.toString() };
    return { result, message: `Sent 1 ether to ${address}; its balance is ${Number(balance / 10n ** 14n) / 10_000}.` };
  },
});

export const CHAIN_COMMANDS: readonly Command[] = [save, load, travel, mine, fund, proxy];
