import type { Connection } from "./arcade.ts";

/** Prices of what no implementation can avoid (EIP-2028, 2200, 2929, 3529; LOG: yellow paper, appendix G). */
const PRICE = {
  intrinsic: 21_000,
  zeroByte: 4,
  byte: 16,
  precompileCall: 100,
  ecrecover: 3_000,
  coldAccount: 2_600,
  coldSlot: 2_100,
  changeSlot: 2_900,
  fillSlot: 20_000,
  log: 375,
  logTopic: 375,
  logByte: 8,
} as const;

export interface Gas {
  readonly measured: number;
  /** What transaction, signature check, touched slots, called contracts and logs cost in any implementation. */
  readonly floor: number;
  /** Storage slots that were zero before and are not now. */
  readonly newSlots: number;
}

interface Step {
  readonly op: string;
  readonly depth: number;
  readonly stack: readonly string[];
}

const CALLS = ["CALL", "STATICCALL", "DELEGATECALL", "CALLCODE"];
const ZERO = `0x${"0".repeat(64)}`;
const word = (value: string): string => `0x${value.replace(/^0x/, "").padStart(64, "0")}`;
const addressIn = (value: string): string => `0x${word(value).slice(26)}`;

/** Every slot and every account that a transaction's steps touch, and how often the signature precompile ran. */
function readSteps(steps: readonly Step[], to: string) {
  const slots = new Set<string>();
  const accounts = new Set<string>();
  let ecrecovers = 0;
  // The account whose storage each depth works on.
  const self = [to];
  for (const { op, depth, stack } of steps) {
    const top = (n: number): string => stack[stack.length - n]!;
    if (op === "SLOAD" || op === "SSTORE") slots.add(`${self[depth - 1]}:${word(top(1))}`);
    if (!CALLS.includes(op)) continue;
    const target = addressIn(top(2));
    if (BigInt(target) === 1n) ecrecovers += 1;
    if (BigInt(target) > 0xffffn && target !== to) accounts.add(target);
    self[depth] = op === "DELEGATECALL" || op === "CALLCODE" ? self[depth - 1]! : target;
  }
  return { slots, accounts, ecrecovers };
}

/** Takes a mined transaction apart. The hard fork decides `measured`; the floor follows from the transaction alone. */
export async function measureGas(connection: Connection, txHash: string): Promise<Gas> {
  const { provider } = connection;
  const [tx, receipt, trace] = (await Promise.all([
    provider.request({ method: "eth_getTransactionByHash", params: [txHash] }),
    provider.request({ method: "eth_getTransactionReceipt", params: [txHash] }),
    provider.request({
      method: "debug_traceTransaction",
      params: [txHash, { disableMemory: true, disableStorage: true }],
    }),
  ])) as [
    { input: string; to: string; blockNumber: string },
    { gasUsed: string; logs: readonly { topics: readonly string[]; data: string }[] },
    { structLogs: readonly Step[] },
  ];
  const { slots, accounts, ecrecovers } = readSteps(trace.structLogs, tx.to.toLowerCase());
  const before = `0x${(BigInt(tx.blockNumber) - 1n).toString(16)}`;
  const read = async (place: string, block: string): Promise<string> => {
    const [address, slot] = place.split(":");
    return word((await provider.request({ method: "eth_getStorageAt", params: [address, slot, block] })) as string);
  };

  let floor =
    PRICE.intrinsic + ecrecovers * (PRICE.ecrecover + PRICE.precompileCall) + accounts.size * PRICE.coldAccount;
  for (const byte of Buffer.from(tx.input.slice(2), "hex")) floor += byte === 0 ? PRICE.zeroByte : PRICE.byte;
  for (const { topics, data } of receipt.logs) {
    floor += PRICE.log + topics.length * PRICE.logTopic + ((data.length - 2) / 2) * PRICE.logByte;
  }
  let newSlots = 0;
  for (const place of slots) {
    const [old, now] = await Promise.all([read(place, before), read(place, tx.blockNumber)]);
    floor += PRICE.coldSlot;
    if (old === now) continue;
    floor += old === ZERO ? PRICE.fillSlot : PRICE.changeSlot;
    if (old === ZERO) newSlots += 1;
  }
  return { measured: Number(receipt.gasUsed), floor, newSlots };
}
