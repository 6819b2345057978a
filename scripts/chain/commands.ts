import { createClient, HttpRequestError, http, isAddress, RpcRequestError, TimeoutError } from "viem";

export const usage = `Usage: npm run chain -- COMMAND [--json] [--rpc URL]

Works on the local chain (31337) that "npm start" runs.

  save NAME       keep the chain as it is now
  load NAME       become the chain that was kept under NAME; the service follows by itself
  travel TIME     move the clock forward and mine a block: 90s, 15m, 24h, 7d
  mine N          mine N empty blocks
  fund ADDRESS    send 1 ether of the faucet

Options:
  --rpc URL       JSON-RPC of the chain; otherwise ARCADE_RPC_URL, or port ARCADE_RPC_PORT (8545) on this machine
  --json          one line of JSON on stdout, words on stderr
  --help          this text

Example: npm run chain -- travel 24h

Exit codes: 0 ok, 1 fault, 2 usage, 3 chain`;

export interface Outcome {
  /** Exit code. */
  readonly code: 0 | 1 | 2 | 3;
  readonly sentence: string;
  readonly result?: object;
}

const LOCAL_CHAIN_ID = "0x7a69";
const ETHER = 10n ** 18n;
const SECONDS: { readonly [unit: string]: number } = { s: 1, m: 60, h: 3_600, d: 86_400 };

type Ask = (method: string, params?: readonly unknown[]) => Promise<unknown>;

class UsageError extends Error {}

function readNumber(text: string | undefined, what: string, max: number): number {
  const number = Number(text);
  if (text === undefined || !/^\d+$/.test(text) || number < 1 || number > max) {
    throw new UsageError(`${what}: expected a whole number from 1 to ${max}, received "${text ?? ""}"`);
  }
  return number;
}

function readSeconds(text: string | undefined): number {
  const [, digits, unit] = /^(\d+)([smhd])$/.exec(text ?? "") ?? [];
  const seconds = Number(digits) * (SECONDS[unit ?? ""] ?? Number.NaN);
  if (!(seconds >= 1 && seconds <= 3_650 * SECONDS.d!)) {
    throw new UsageError(`travel: expected a time like 90s, 15m, 24h or 7d, received "${text ?? ""}"`);
  }
  return seconds;
}

async function describeHead(ask: Ask) {
  const { number, timestamp } = (await ask("eth_getBlockByNumber", ["latest", false])) as {
    readonly number: string;
    readonly timestamp: string;
  };
  return { block: Number(number), time: new Date(Number(timestamp) * 1_000).toISOString() };
}

type Run = (ask: Ask, argument: string | undefined) => Promise<Omit<Outcome, "code">>;

const COMMANDS: { readonly [name: string]: Run } = {
  save: async (ask, name) => {
    if (name === undefined) throw new UsageError("save: expected a name");
    const result = (await ask("arcade_saveChain", [name])) as { readonly blockNumber: number };
    return { result, sentence: `Saved the chain at block ${result.blockNumber} as ${name}.` };
  },
  load: async (ask, name) => {
    if (name === undefined) throw new UsageError("load: expected a name");
    const result = (await ask("arcade_loadChain", [name])) as { readonly blockNumber: number };
    return { result, sentence: `The chain is at block ${result.blockNumber} again, as saved under ${name}.` };
  },
  travel: async (ask, time) => {
    const seconds = readSeconds(time);
    await ask("evm_increaseTime", [seconds]);
    await ask("evm_mine");
    const head = await describeHead(ask);
    return { result: { seconds, ...head }, sentence: `The chain's clock says ${head.time} (block ${head.block}).` };
  },
  mine: async (ask, count) => {
    const blocks = readNumber(count, "mine", 10_000);
    await ask("hardhat_mine", [`0x${blocks.toString(16)}`]);
    const head = await describeHead(ask);
    return { result: { mined: blocks, ...head }, sentence: `Mined ${blocks}; the head is block ${head.block}.` };
  },
  fund: async (ask, address) => {
    if (address === undefined || !isAddress(address)) {
      throw new UsageError(`fund: expected an address, received "${address ?? ""}"`);
    }
    const txHash = await ask("arcade_fund", [address, `0x${ETHER.toString(16)}`]);
    const balance = BigInt((await ask("eth_getBalance", [address, "latest"])) as string);
    const result = { address, txHash, balanceWei: balance.toString() };
    return { result, sentence: `Sent 1 ether to ${address}; it holds ${Number(balance / 10n ** 14n) / 10_000}.` };
  },
};

/** Runs one command against the chain at `rpcUrl`. Never throws. */
export async function runChainCommand(words: readonly string[], rpcUrl: string): Promise<Outcome> {
  const [name = "", argument, ...rest] = words;
  const run = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (run === undefined || rest.length > 0) {
    const what = run === undefined ? `There is no command "${name}".` : `${name} takes one argument.`;
    return { code: 2, sentence: `${what}\n\n${usage}` };
  }
  const client = createClient({ transport: http(rpcUrl, { retryCount: 0, timeout: 60_000 }) });
  const ask: Ask = (method, params = []) => client.request({ method, params } as never);
  try {
    const chainId = await ask("eth_chainId");
    if (chainId !== LOCAL_CHAIN_ID) {
      return {
        code: 3,
        sentence: `${rpcUrl} serves chain ${Number(chainId)}; this command is for the local chain alone.`,
      };
    }
    return { code: 0, ...(await run(ask, argument)) };
  } catch (error) {
    if (error instanceof UsageError) return { code: 2, sentence: error.message };
    if (error instanceof HttpRequestError || error instanceof TimeoutError) {
      return {
        code: 3,
        sentence: `No chain answers at ${rpcUrl}. Is "npm start" running? --rpc takes another address.`,
      };
    }
    const answer = (error as { walk?: (is: (cause: unknown) => boolean) => unknown }).walk?.(
      (cause) => cause instanceof RpcRequestError,
    );
    return { code: 1, sentence: answer instanceof RpcRequestError ? answer.details : String(error) };
  }
}
