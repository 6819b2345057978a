/** Anvil's and Hardhat's own methods: aliases, and alternatives to methods that cannot exist here. */
import { toHex } from "viem";
import { quoteReceived } from "../domain/errors.ts";
import { RpcError } from "./rpc-error.ts";

const SAME_AS_HARDHAT =
  /^anvil_(dropTransaction|getAutomine|impersonateAccount|metadata|mine|reset|set(?:Balance|Code|Coinbase|LoggingEnabled|MinGasPrice|NextBlockBaseFeePerGas|Nonce|StorageAt)|stopImpersonatingAccount)$/;
const SAME_AS_EVM =
  /^anvil_(increaseTime|revert|setAutomine|setBlockGasLimit|setIntervalMining|setNextBlockTimestamp|snapshot)$/;

const SAME_AS_GANACHE = /^evm_setAccount(?=Balance$|Code$|Nonce$|StorageAt$)/;

const SAVE = "use arcade_saveChain and arcade_loadChain, which `npm run chain -- save` and `load` call";
const FORK = "this chain cannot fork";
const TIME = "use evm_increaseTime, or evm_setNextBlockTimestamp for one block";
const TRACE = "use debug_traceTransaction";
const RAW = "the engine keeps no raw transactions; use eth_getTransactionByHash";
/** Why a method cannot exist here, and what to use. */
const MISSING: readonly (readonly [RegExp, string])[] = [
  [
    /^eth_simulateV1$/,
    "the engine has no such method; use eth_call with state overrides, or evm_snapshot, the transactions and evm_revert",
  ],
  [/^eth_createAccessList$/, "the engine cannot compute one; pass accessList to eth_sendTransaction"],
  [/^eth_(fill|sign)Transaction$/, "use eth_sendTransaction, or sign with the account's key"],
  [/^eth_sendUnsignedTransaction$/, "use anvil_impersonateAccount and eth_sendTransaction"],
  [/^(eth_getRawTransactionBy|debug_getRaw)/, RAW],
  [/^(anvil|hardhat)_(dump|load)State$/, SAVE],
  [/^anvil_setChainId$/, "the chain id is always 31337: signed messages of the contracts contain it"],
  [/^(anvil|hardhat)_setRpcUrl$/, FORK],
  [/^anvil_nodeInfo$/, "use web3_clientVersion, eth_chainId and eth_blockNumber"],
  [/^(anvil|hardhat|evm)_(setTime|(set|remove)BlockTimestampInterval)$/, TIME],
  [/^(anvil|evm)_mine_?[dD]etailed$/, "use evm_mine and eth_getBlockByNumber"],
  [/^anvil_addBalance$/, "use eth_getBalance and anvil_setBalance"],
  [/^anvil_(deal|set)ERC20/, "use anvil_setStorageAt, or call the token from an impersonated account"],
  [/^anvil_(autoImpersonateAccount|impersonateSignature)$/, "use anvil_impersonateAccount for each account"],
  [/^anvil_(dropAllTransactions|removePoolTransactions)$/, "use anvil_dropTransaction for each hash of txpool_content"],
  [/^wallet_/, "this is a node, not a wallet; use eth_sendTransaction and personal_sign, or connect a wallet"],
  [/^personal_(?!sign$)/, "the node's accounts are always unlocked; use eth_sendTransaction or personal_sign"],
  [/^(trace|ots|erigon)_|^debug_traceBlock$/, TRACE],
];

/** Fixed answers. Some libraries call these methods first. */
export const CONSTANT_ANSWERS: { readonly [method: string]: unknown } = {
  net_listening: true,
  net_peerCount: "0x0",
  eth_hashrate: "0x0",
  eth_getUncleCountByBlockHash: "0x0",
  eth_getUncleCountByBlockNumber: "0x0",
  eth_getUncleByBlockHashAndIndex: null,
  eth_getUncleByBlockNumberAndIndex: null,
};

const TYPED_DATA = /^eth_signTypedData(_v3)?$/;

/** The engine's name of a method. Throws an `RpcError` for a method that cannot exist here. */
export function translateMethod(method: string): string {
  const reason = MISSING.find(([pattern]) => pattern.test(method))?.[1];
  if (reason !== undefined) throw new RpcError(-32_004, `${method} is not supported: ${reason}`);
  if (method === "eth_requestAccounts") return "eth_accounts";
  if (method === "eth_mining") return "hardhat_getAutomine";
  if (TYPED_DATA.test(method)) return "eth_signTypedData_v4";
  if (SAME_AS_GANACHE.test(method)) return method.replace(SAME_AS_GANACHE, "hardhat_set");
  if (SAME_AS_HARDHAT.test(method)) return method.replace("anvil_", "hardhat_");
  return SAME_AS_EVM.test(method) ? method.replace("anvil_", "evm_") : method;
}

/** Methods for a block, with the method to call for each of its transactions. */
export const BY_BLOCK: { readonly [method: string]: string } = {
  eth_getBlockReceipts: "eth_getTransactionReceipt",
  debug_traceBlockByHash: "debug_traceTransaction",
  debug_traceBlockByNumber: "debug_traceTransaction",
};

/**
 * Calls, and how many parameters the engine accepts: `eth_call` has state overrides, traces have the tracer's options.
 */
const CALLS: { readonly [method: string]: number } = {
  eth_call: 3,
  eth_estimateGas: 2,
  eth_sendTransaction: 1,
  debug_traceCall: 3,
};

interface Call {
  readonly [field: string]: unknown;
}

/** The most gas of a transaction (EIP-7825). Like geth, calls with more get this much. */
const CALL_GAS_MAX = 2 ** 24;

const capGas = (call: Call): Call =>
  Number(call.gas) > CALL_GAS_MAX ? { ...call, gas: `0x${CALL_GAS_MAX.toString(16)}` } : call;

/** Storage keys such as `0x0`. */
const padKey = (key: unknown): unknown =>
  typeof key === "string" && /^0x[0-9a-f]{1,64}$/i.test(key) ? `0x${key.slice(2).padStart(64, "0")}` : key;

/** Where methods take a block: the index of a param, or the fields of the first one. */
const BLOCK_AT: { readonly [method: string]: number | readonly string[] } = {
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
  eth_getProof: 2,
  eth_call: 1,
  eth_estimateGas: 1,
  debug_traceCall: 1,
  eth_feeHistory: 1,
  eth_getBlockByNumber: 0,
  eth_getBlockTransactionCountByNumber: 0,
  eth_getTransactionByBlockNumberAndIndex: 0,
  eth_getBlockReceipts: 0,
  debug_traceBlockByNumber: 0,
  eth_getLogs: ["fromBlock", "toBlock"],
  eth_newFilter: ["fromBlock", "toBlock"],
};
const BLOCK = /^(?:0x[0-9a-f]*|latest|safe|finalized|earliest|pending)$/i;

/** The engine answers a wrong name of a block with "Method … is not supported". */
function checkBlocks(method: string, params: readonly unknown[]): void {
  if (!Object.hasOwn(BLOCK_AT, method)) return;
  const at = BLOCK_AT[method]!;
  const blocks = typeof at === "number" ? [params[at]] : at.map((field) => Object(params[0])[field]);
  const wrong = blocks.find((block) => typeof block === "string" && !BLOCK.test(block));
  if (wrong === undefined) return;
  throw new RpcError(
    -32_602,
    `Expected a block for ${method}: a number in hex like "0x1", latest, safe, finalized, earliest or pending, received ${quoteReceived(wrong)}`,
  );
}

/**
 * The highest numbers, by method and param. Above 2^255 wei and 2^100 wei per gas the engine's sums overflow, which
 * ends the process. A journal holds nonces as JavaScript numbers.
 */
const VALUE_MAX = 2n ** 255n;
const FEE_MAX = 2n ** 100n;
const CALL_MAX = { value: VALUE_MAX, gasPrice: FEE_MAX, maxFeePerGas: FEE_MAX, maxPriorityFeePerGas: FEE_MAX };
const PARAM_MAX: { readonly [method: string]: { readonly [param: string]: bigint } } = {
  hardhat_setNextBlockBaseFeePerGas: { 0: FEE_MAX },
  hardhat_setNonce: { 1: 2n ** 52n },
};

function checkNumbers(method: string, given: object, max: { readonly [name: string]: bigint }): void {
  for (const [name, limit] of Object.entries(max)) {
    const value = (given as Call)[name];
    if (!isNumber(value) || BigInt(value) <= limit) continue;
    const expected = `at most 2^${limit.toString(2).length - 1} as ${Array.isArray(given) ? `param ${name}` : name}`;
    throw new RpcError(-32_602, `${method}: expected ${expected}, received ${quoteReceived(String(value))}`);
  }
}

const isNumber = (value: unknown): value is string | number =>
  Number.isInteger(value) || /^(0x[0-9a-f]+|[0-9]+)$/i.test(String(value));

/** No chain here has more blocks. The engine looks at each block number of a range, also after the last block. */
const RANGE_END_MAX = 2 ** 24;

/** A filter for events, with geth's wildcards: an empty list, and a list with null. */
function translateFilter(filter: unknown): unknown {
  if (typeof filter !== "object" || filter === null) return filter;
  const { toBlock, topics, ...others } = filter as Call;
  const isWildcard = (topic: unknown) => Array.isArray(topic) && (topic.length === 0 || topic.includes(null));
  return {
    ...others,
    ...(toBlock === undefined ? {} : { toBlock: Number(toBlock) > RANGE_END_MAX ? toHex(RANGE_END_MAX) : toBlock }),
    ...(topics === undefined
      ? {}
      : { topics: Array.isArray(topics) ? topics.map((topic) => (isWildcard(topic) ? null : topic)) : topics }),
  };
}

/** The engine mines blobs only when they arrive, so a restart and a reorganization would lose their block. */
function rejectBlobs(method: string, [transaction]: readonly unknown[]): void {
  const isRaw = method === "eth_sendRawTransaction" && String(transaction).startsWith("0x03");
  if (!isRaw && !(method === "eth_sendTransaction" && Object(transaction).blobVersionedHashes)) return;
  const use = "this chain could not mine it again after a restart; send one of another type";
  throw new RpcError(-32_004, `A blob transaction (EIP-4844) is not supported: ${use}`);
}

/** The engine announces the hashes of pending transactions only, which is what geth's `false` means. */
function readSubscription([kind, options]: readonly unknown[]): readonly unknown[] {
  const isKnown = kind === "logs" || ((kind === "newHeads" || kind === "newPendingTransactions") && !options);
  if (isKnown) return kind === "logs" ? [kind, translateFilter(options ?? {})] : [kind];
  const received = quoteReceived(JSON.stringify([kind, options]));
  const expected = "newHeads, newPendingTransactions (hashes only), or logs with a filter";
  throw new RpcError(-32_602, `Expected a subscription to ${expected}, received ${received}`);
}

/** Anvil's setters take numbers. */
const SETTER = /^hardhat_set(Balance|Nonce|StorageAt)$/;

/** Foundry and web3.js send the data of a call as `data` and `input`; the engine takes one of them. */
export function translateParams(method: string, all: readonly unknown[]): readonly unknown[] {
  // Some libraries write null for "no param".
  const params = all.slice(0, all.findLastIndex((param) => param !== null) + 1);
  checkNumbers(method, params, Object.hasOwn(PARAM_MAX, method) ? PARAM_MAX[method]! : {});
  if (SETTER.test(method))
    return params.map((param) => (Number.isSafeInteger(param) && Number(param) >= 0 ? toHex(param as number) : param));
  checkBlocks(method, params);
  if (method === "eth_getLogs" || method === "eth_newFilter") return params.map(translateFilter);
  rejectBlobs(method, params);
  if (method === "eth_subscribe") return readSubscription(params);
  // web3.js adds a password.
  if (method === "personal_sign") return params.slice(0, 2);
  // The percentiles are optional; the engine wants a list.
  if (method === "eth_feeHistory") return [params[0], params[1], params[2] ?? []];
  if (method === "eth_getProof" && Array.isArray(params[1])) return params.with(1, params[1].map(padKey));
  if (!Object.hasOwn(CALLS, method)) return params;
  if (params.length > CALLS[method]!)
    throw new RpcError(
      -32_602,
      `Expected at most ${CALLS[method]} params of ${method}, received ${params.length}: the engine has no block overrides, and state overrides in eth_call only`,
    );
  const [first, ...rest] = params as readonly (Call | null)[];
  if (typeof first !== "object" || first === null) return params;
  checkNumbers(method, first, CALL_MAX);
  const call = method === "eth_sendTransaction" ? first : capGas(first);
  if (call.data === undefined || call.input === undefined) return [call, ...rest];
  const { data, input, ...others } = call;
  if (data !== null && input !== null && String(data).toLowerCase() !== String(input).toLowerCase())
    throw new RpcError(-32_602, `Expected data or input for ${method}, or the same value in both`);
  return [{ ...others, data: data ?? input }, ...rest];
}

/** `evm_mine` with the options of Ganache, as another request; null for any other request. */
export function translateMine(method: string, [options]: readonly unknown[]): readonly [string, unknown[]] | null {
  if (method !== "evm_mine" || typeof options !== "object" || options === null) return null;
  const { blocks, timestamp } = options as { readonly blocks?: unknown; readonly timestamp?: unknown };
  if (timestamp === undefined || timestamp === null) return ["hardhat_mine", [blocks ?? 1]];
  if (blocks === undefined || blocks === null || Number(blocks) === 1) return ["evm_mine", [timestamp]];
  throw new RpcError(-32_602, "Expected blocks or a timestamp for evm_mine, received both; use anvil_mine");
}

interface PooledTransaction {
  readonly from: string;
  readonly nonce: string;
}

/** `txpool_content`, `txpool_inspect` and `txpool_status` of pending transactions. */
export function describePool(method: string, waiting: readonly PooledTransaction[]): object {
  if (method === "txpool_status") return { pending: `0x${waiting.length.toString(16)}`, queued: "0x0" };
  const show = (transaction: PooledTransaction) =>
    method === "txpool_content" ? transaction : JSON.stringify(transaction);
  const pending = Object.fromEntries(
    [...Map.groupBy(waiting, ({ from }) => from)].map(([from, own]) => [
      from,
      Object.fromEntries(own.map((transaction) => [Number(transaction.nonce), show(transaction)])),
    ]),
  );
  return { pending, queued: {} };
}
