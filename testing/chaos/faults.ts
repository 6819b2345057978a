/** The faults of a node. The seed, and the number of earlier calls of the kind, decide which call gets one. */
import { z } from "zod";
import { requireInteger, requireOneOf, TestingError } from "../errors.ts";
import { Random } from "../random.ts";

/** What each kind of chaos can do to a call. */
export const CHAOS = {
  send: ["send lost", "send late", "send refused but mined", "send twice"],
  receipts: ["receipt missing", "transaction unknown"],
  logs: ["logs missing", "range limit"],
  head: ["head behind", "head ahead", "head of another hash"],
  reorg: ["reorg of 1", "reorg of 3", "reorg of 1, lost", "reorg of 3, lost"],
  slow: ["slow"],
  hang: ["hang"],
  errors: ["status 429", "status 503", "cut"],
  answers: ["error", "one error", "status 400", "not JSON", "without end"],
  chain: ["another chain"],
  stuck: ["head stuck"],
} as const;
export type ChaosKind = keyof typeof CHAOS;
export type FaultName = (typeof CHAOS)[ChaosKind][number];

/** Other calls have no faults. The order decides what a seed draws, so append new kinds. */
export const KINDS = Object.keys(CHAOS) as ChaosKind[];

/** A fault for the nth call of its kind. */
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
  answers: /^eth_/,
  chain: /^(eth_chainId|net_version)$/,
  stuck: /^eth_(blockNumber|getBlockByNumber)$/,
};
const SHARE = 0.15;
/** The maximum depth of `reorg`. */
const REORG_MAX = 256;
const SEED_MAX = 2 ** 32 - 1;

export const isOfKind = (kind: ChaosKind, { method, params = [] }: Call): boolean =>
  METHODS[kind].test(method) &&
  (method !== "eth_getBlockByNumber" || !/^(head|stuck)$/.test(kind) || params[0] === "latest");

export function checkChaos(kinds: readonly string[], seed: number): readonly ChaosKind[] {
  requireInteger("seed", seed, 0, SEED_MAX);
  const unknown = kinds.find((kind) => !Object.hasOwn(CHAOS, kind));
  if (unknown === undefined) return kinds as readonly ChaosKind[];
  throw new TestingError("UNKNOWN_FAULT", `chaos: expected ${KINDS.join(", ")}; received "${unknown}"`);
}

const RECORD = z.array(
  z.strictObject({
    kind: z.enum(KINDS),
    call: z.int().min(1),
    fault: z.enum(Object.values(CHAOS).flat() as [FaultName, ...FaultName[]]),
  }),
);

function parse<T>(schema: z.ZodType<T>, name: string, expected: string, value: unknown): T {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data as T;
  const { path, message } = error.issues[0]!;
  const place = path.length === 0 ? "" : `${path.join(".")}: `;
  throw new TestingError("INVALID_OPTION", `${name}: expected ${expected}; ${place}${message}`);
}

/** Reads a record of faults. Throws a `TestingError` about the first invalid part. */
export const readFaults = (value: unknown): readonly Fault[] => parse(RECORD, "replay", "a record of faults", value);

const RULE = z.strictObject({
  of: z.string().optional(),
  times: z.int().min(1).optional(),
  share: z.number().min(0).max(1).optional(),
  batchesAbove: z.int().min(0).optional(),
  ms: z.int().min(0).max(600_000).optional(),
  error: z.strictObject({ code: z.int(), message: z.string() }).optional(),
});

/** Which calls get a chosen fault, and how. */
export interface FaultRule {
  /** Only calls of this method. */
  readonly of?: string;
  /** Only this number of requests from now on. */
  readonly times?: number;
  /** Only this share of the calls, as the seed decides: 0 to 1. */
  readonly share?: number;
  /** Only calls in longer batches. */
  readonly batchesAbove?: number;
  /** How late `slow` is. */
  readonly ms?: number;
  /** What `error` answers. */
  readonly error?: { readonly code: number; readonly message: string };
}

/** Reads a fault and its rule. Throws a `TestingError` that lists the faults, or reports the first invalid part. */
export function readRule(fault: unknown, rule: unknown): FaultRule & { readonly fault: FaultName } {
  const options = parse(RULE, "fail", "of, times, share, batchesAbove, ms or error", rule) as FaultRule;
  return { ...options, fault: requireOneOf("UNKNOWN_FAULT", "fail", Object.values(CHAOS).flat(), fault) };
}

const REORG = z
  .strictObject({
    lose: z
      .array(
        z
          .string()
          .regex(/^0x[0-9a-f]{64}$/i)
          .toLowerCase(),
      )
      .optional(),
  })
  .optional();

/** Reads the depth and options of a reorganization. Throws a `TestingError` about the first invalid part. */
export function readReorg(
  depth: unknown,
  options: unknown,
): { readonly blocks: number; readonly lose?: readonly string[] } {
  const { lose } = parse(REORG, "reorg", "{ lose: [32-byte hashes] }", options) ?? {};
  return { blocks: requireInteger("depth", depth, 1, REORG_MAX), ...(lose !== undefined && { lose }) };
}

export const findKind = (fault: FaultName): ChaosKind =>
  KINDS.find((kind) => (CHAOS[kind] as readonly FaultName[]).includes(fault))!;

/** The stream of draws for a rule's calls; no kind uses it. */
const RULE_PLACE = 15;
const createRandom = (seed: number, place: number, call: number): Random =>
  new Random(seed * 2 ** 16 + place * 2 ** 12 + call);

/** Whether the nth call gets the fault of a rule with a share. */
export const drawShare = (seed: number, share: number, call: number): boolean =>
  createRandom(seed, RULE_PLACE, call).chance(share);

/** The seed's fault for a call; null for most calls. */
export function drawFault(seed: number, kind: ChaosKind, call: number): FaultName | null {
  const random = createRandom(seed, KINDS.indexOf(kind), call);
  return random.chance(SHARE) ? random.pick<FaultName>(CHAOS[kind]) : null;
}
