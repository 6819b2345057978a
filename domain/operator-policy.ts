/**
 * Which calls the operator's key signs: contracts and functions by kind of transaction, without ether, with limits on
 * gas per call and calls per day.
 */
import { type Address, type Hex, isAddressEqual, slice, toFunctionSelector } from "viem";
import { ArcadeError } from "./errors.ts";
import { DAY_MS } from "./time.ts";
import { CALLS, type CallName } from "./typed-data/calls.ts";

export interface OperatorCall {
  /** `payout` or `relay`. */
  readonly kind: string;
  readonly to: Address;
  readonly data: Hex;
  /** In wei; absent: none. */
  readonly value?: bigint;
}

interface PolicyRule {
  readonly kind: string;
  readonly to: Address;
  readonly selectors: readonly Hex[];
}

export interface OperatorPolicy {
  readonly rules: readonly PolicyRule[];
  /** Transactions that the key signs in a UTC day, without bumps and cancellations of stored ones. */
  readonly callsPerDay: number;
  /** The maximum gas of one transaction. With `callsPerDay` it limits the gas of a day. */
  readonly gasPerCall: bigint;
}

/** Twice the gas of the largest call: a batch of 16 snapshots. */
const GAS_PER_CALL = 4_000_000n;
/** The audit's action for a rejected call. */
export const REFUSAL_ACTION = "tx.refuse";

/** A call that the operator's policy does not allow. It was not signed. */
export class OperatorPolicyError extends Error {
  constructor({ kind, to, data, value = 0n }: OperatorCall) {
    super(
      `The operator's policy has no ${kind} of ${data.slice(0, 10)} to ${to} with ${value} wei; it was not signed.`,
    );
    this.name = "OperatorPolicyError";
  }
}

/** The key has signed as many calls as its policy allows in a UTC day; this one was not signed. */
export class OperatorBudgetError extends ArcadeError {
  /** When the key signs again. */
  readonly resetsAtMs: number;

  constructor({ callsPerDay }: OperatorPolicy, nowMs: number) {
    const resetsAtMs = (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
    super(
      "CHAIN_UNAVAILABLE",
      `The operator's key has signed ${callsPerDay} transactions today, as many as its policy allows; it continues at 00:00 UTC.`,
      { resetsAt: new Date(resetsAtMs).toISOString(), retryAfterSeconds: Math.ceil((resetsAtMs - nowMs) / 1000) },
    );
    this.name = "OperatorBudgetError";
    this.resetsAtMs = resetsAtMs;
  }
}

/** A call that needs more gas than the policy allows. It was not signed. */
export class OperatorGasError extends ArcadeError {
  constructor(gas: bigint, { gasPerCall }: OperatorPolicy) {
    super("TX_FAILED", `The call needs ${gas} gas; the operator's policy allows ${gasPerCall}. It was not signed.`);
    this.name = "OperatorGasError";
  }
}

type CallFunction = Extract<(typeof CALLS)[number], { type: "function" }>;

const SELECTORS = new Map(
  CALLS.filter((item): item is CallFunction => item.type === "function").map((item) => [
    item.name as CallName,
    toFunctionSelector(item),
  ]),
);

const getSelectors = (names: readonly CallName[]): readonly Hex[] => names.map((name) => SELECTORS.get(name)!);

export function createOperatorPolicy(
  deployment: {
    readonly identity: Address;
    readonly rewards: Address;
    readonly nft: { readonly [slug: string]: Address };
  },
  callsPerDay: number,
): OperatorPolicy {
  const { identity, rewards, nft } = deployment;
  const rules: readonly PolicyRule[] = [
    { kind: "payout", to: rewards, selectors: getSelectors(["payout"]) },
    { kind: "relay", to: identity, selectors: getSelectors(["mintIdentityFor"]) },
    { kind: "relay", to: rewards, selectors: getSelectors(["snapshotScoreSigned", "snapshotScoresSigned"]) },
    ...Object.values(nft).map((to) => ({
      kind: "relay",
      to,
      selectors: getSelectors(["mintSigned", "upgradeSigned"]),
    })),
  ];
  return { rules, callsPerDay, gasPerCall: GAS_PER_CALL };
}

/** Throws `OperatorPolicyError` if no rule allows this call. */
export function checkOperatorCall(policy: OperatorPolicy, call: OperatorCall): void {
  const { kind, to, data, value = 0n } = call;
  const isAllowed = policy.rules.some(
    (rule) =>
      rule.kind === kind &&
      isAddressEqual(rule.to, to) &&
      data.length >= 10 &&
      rule.selectors.includes(slice(data, 0, 4)),
  );
  if (!isAllowed || value !== 0n) throw new OperatorPolicyError(call);
}
