/** The faults of a node: which one comes when is decided by the seed and by how many such calls came before. */
import { z } from "zod";
import { requireInteger, TestingError } from "../errors.ts";
import { Random } from "../random.ts";

/** What each kind of chaos may do to a call. */
export const CHAOS = {
  send: ["send lost", "send late", "send refused but mined", "send twice"],
  receipts: ["receipt missing", "transaction unknown"],
  logs: ["logs missing", "range limit"],
  head: ["head behind", "head ahead", "head of another hash"],
  reorg: ["reorg of 1", "reorg of 3", "reorg of 1, lost", "reorg of 3, lost"],
  slow: ["slow"],
  hang: ["hang"],
  errors: ["status 429", "status 503", "cut"],
} as const;
export type ChaosKind = keyof typeof CHAOS;
export type FaultName = (typeof CHAOS)[ChaosKind][number];

/** A fault at the call of this number among those of its kind. */
export interface Fault {
  readonly kind: ChaosKind;
  readonly call: number;
  readonly fault: FaultName;
}

export interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

const METHODS: { readonly [kind in ChaosKind]: RegExp } = {
  send: /^eth_sendRawTransaction$/,
  receipts: /^eth_getTransaction(Receipt|ByHash)$/,
  logs: /^eth_getLogs$/,
  head: /^eth_(blockNumber|getBlockByNumber)$/,
  reorg: /^eth_(blockNumber|getTransactionReceipt|getLogs)$/,
  slow: /^eth_/,
  hang: /^eth_/,
  errors: /^eth_/,
};
const SHARE = 0.15;
const SEED_MAX = 2 ** 32 - 1;

export const isOfKind = (kind: ChaosKind, { method, params = [] }: Call): boolean =>
  METHODS[kind].test(method) && (method !== "eth_getBlockByNumber" || kind !== "head" || params[0] === "latest");

export function checkChaos(kinds: readonly string[], seed: number): readonly ChaosKind[] {
  requireInteger("seed", seed, 0, SEED_MAX);
  const unknown = kinds.find((kind) => !Object.hasOwn(CHAOS, kind));
  if (unknown === undefined) return kinds as readonly ChaosKind[];
  throw new TestingError("UNKNOWN_FAULT", `chaos: expected ${Object.keys(CHAOS).join(", ")}; received "${unknown}"`);
}

const RECORD = z.array(
  z.strictObject({
    kind: z.enum(Object.keys(CHAOS) as [ChaosKind, ...ChaosKind[]]),
    call: z.int().min(1),
    fault: z.enum(Object.values(CHAOS).flat() as [FaultName, ...FaultName[]]),
  }),
);

/** Reads a record of faults. Throws a `TestingError` about the first wrong part. */
export function readFaults(value: unknown): readonly Fault[] {
  const { data, error } = RECORD.safeParse(value);
  if (data !== undefined) return data;
  const { path, message } = error!.issues[0]!;
  throw new TestingError("INVALID_OPTION", `replay: expected a record of faults; ${path.join(".")}: ${message}`);
}

/** The fault of a call by the seed; null for most calls. */
export function drawFault(seed: number, kind: ChaosKind, call: number): FaultName | null {
  const random = new Random(seed * 2 ** 16 + Object.keys(CHAOS).indexOf(kind) * 2 ** 12 + call);
  return random.chance(SHARE) ? random.pick<FaultName>(CHAOS[kind]) : null;
}
