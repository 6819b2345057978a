import { randomUUID } from "node:crypto";
import type { Address } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import { OperatorBudgetError } from "../../../domain/operator-policy.ts";
import { toFinality } from "../../../domain/session.ts";
import {
  findExceededBound,
  type RelayKind,
  type SponsorshipBound,
  type SponsorshipBounds,
  SponsorshipExceededError,
  toSponsorshipDay,
} from "../../../domain/sponsorship.ts";
import { DAY_MS, toIso } from "../../../domain/time.ts";
import type { ChainIndex } from "../../ports/chain.ts";
import type { RelayIntent, RelayState, RelayStore } from "../../ports/store/relays.ts";
import type { Clock } from "../../ports/system.ts";
import type { ChainWriter } from "../../ports/transactions.ts";
import { isStored } from "../chain-reads.ts";
import type { Identity } from "../identity/identity.ts";
import type { SignedCall } from "../signed-calls.ts";

interface RelayPorts {
  readonly store: RelayStore;
  readonly writer: Pick<ChainWriter, "submit" | "refresh" | "waitForTransaction">;
  readonly index: Pick<ChainIndex, "getStoredHead" | "getFinality" | "waitForHead">;
  readonly identity: Pick<Identity, "findAgentId">;
  readonly clock: Pick<Clock, "nowMs">;
  /** Null: this service does not pay gas for others. */
  readonly bounds: SponsorshipBounds | null;
  readonly hashJson: (value: unknown) => string;
}

/** Who asks the operator to pay, and what for. */
export interface RelayRequest {
  readonly kind: RelayKind;
  readonly wallet: Address;
  /** The key of the caller's address. */
  readonly ip: string;
}

/** How long a request waits for the block of its transaction before it is answered with 202. */
const INCLUSION_WAIT_MS = 10_000;

const toResetMs = (day: number): number => (day + 1) * DAY_MS;

const isSigned = <T extends object>(prepared: T): prepared is Extract<T, SignedCall> => "call" in prepared;

/** What remains of a prepared call that the operator sends. */
type WithoutCall<T> = T extends SignedCall ? Omit<T, keyof SignedCall | "mode"> : never;

/** Sends prepared calls of other wallets and pays their gas, within the bounds of a day. */
export class Relays {
  readonly #ports: RelayPorts;
  /** Running requests by wallet, kind and key: two equal requests at the same time are sent once. */
  readonly #running = new Map<string, Promise<RelayState>>();

  constructor(ports: RelayPorts) {
    this.#ports = ports;
  }

  /**
   * Prepares a call and sends it. What needs no call is returned as it is. Throws `SPONSORSHIP_EXHAUSTED` with the
   * prepared call, for a wallet that can pay for itself; `TX_FAILED` if the contract rejects it.
   */
  async sponsor<T extends object>(
    request: RelayRequest,
    prepare: () => Promise<T>,
  ): Promise<Exclude<T, SignedCall> | (WithoutCall<T> & ReturnType<Relays["toView"]>)> {
    const prepared = await prepare();
    if (!isSigned(prepared)) return prepared as Exclude<T, SignedCall>;
    const state = await this.send(request, prepared, prepared.call);
    const { signature, digest, deadline, verifyingContract, typedData, call, ...facts } = prepared as SignedCall;
    return { ...(facts as unknown as WithoutCall<T>), ...this.toView(state) };
  }

  /** Sends `call` and waits for its block. `prepared`: the call that the wallet could send itself. */
  async send(request: RelayRequest, prepared: SignedCall, call: SignedCall["call"]): Promise<RelayState> {
    const key = this.#toKey(prepared);
    const id = JSON.stringify([request.wallet, request.kind, key]);
    const running = this.#running.get(id) ?? this.#findOrSubmit(request, key, prepared, call);
    this.#running.set(id, running);
    const state = await running.finally(() => this.#running.delete(id));
    await this.#ports.writer.waitForTransaction(state.relay.transactionId, INCLUSION_WAIT_MS);
    await this.#ports.index.waitForHead();
    return (await this.#ports.store.find(state.relay.relayId)) ?? state;
  }

  /** Throws `SPONSORSHIP_EXHAUSTED` if today's limits leave no gas for a relay of this kind. */
  async requireBudget(request: RelayRequest, prepared: SignedCall): Promise<SponsorshipBounds> {
    const { store, bounds } = this.#ports;
    if (bounds === null) throw this.#createExhaustedError(null, toResetMs(this.#getDay()), prepared);
    const facts = await this.#describe(request);
    const usage = await store.readUsage({ ...request, ...facts });
    const bound = findExceededBound({ kind: request.kind, gas: 1 }, usage, bounds);
    if (bound !== null) throw this.#createExhaustedError(bound, toResetMs(facts.day), prepared);
    return bounds;
  }

  /** A relay of the wallet. Throws `NOT_FOUND`, also for another wallet's. */
  async get(wallet: Address, relayId: string) {
    const state = await this.#ports.store.find(relayId);
    if (state !== null && state.relay.wallet === wallet) return this.toView(state);
    throw new ArcadeError("NOT_FOUND", `There is no relay ${relayId} of ${wallet}.`);
  }

  /** A relay as a response shows it: `included` once every read shows its effect. */
  toView({ relay, transaction }: RelayState) {
    const { index } = this.#ports;
    const { status, txHash, block } = transaction;
    const mined = { mode: "relayed" as const, relayId: relay.relayId, txHash };
    if (status === "included" && !isStored(index, block))
      return { ...mined, status: "sent" as const, block: null, finality: null };
    return { ...mined, status, block, finality: block === null ? null : toFinality(block, index.getFinality()) };
  }

  /** The limits, and the total left today. */
  async getGates() {
    const { bounds, store } = this.#ports;
    const day = this.#getDay();
    const resetsAt = toIso(toResetMs(day));
    if (bounds === null) return { sponsorship: { enabled: false as const } };
    const { gas, mintGas } = await store.readDayTotals(day);
    const left = {
      gas: Math.max(0, bounds.gasPerDay - gas),
      mintGas: Math.max(0, bounds.mintGasPerDay - mintGas),
    };
    return { sponsorship: { enabled: true as const, ...bounds, left, resetsAt } };
  }

  #getDay(): number {
    return toSponsorshipDay(this.#ports.clock.nowMs());
  }

  async #describe({ wallet }: RelayRequest): Promise<Pick<RelayIntent, "day" | "identity">> {
    return { day: this.#getDay(), identity: (await this.#ports.identity.findAgentId(wallet)) ?? wallet };
  }

  /** What was signed, without its deadline: the same for a repeated request. */
  #toKey({ typedData, verifyingContract }: SignedCall): string {
    const { deadline: _, ...facts } = typedData.message;
    return this.#ports.hashJson({ verifyingContract, primaryType: typedData.primaryType, facts });
  }

  /** The relay of an earlier request while it is not failed, else a new one. */
  async #findOrSubmit(
    request: RelayRequest,
    key: string,
    prepared: SignedCall,
    { to, data }: SignedCall["call"],
  ): Promise<RelayState> {
    const { store, writer, clock } = this.#ports;
    const existing = await this.#findLatest(request, key);
    // safeguard: answer-repeated-relay
    if (existing !== null && existing.transaction.status !== "failed") return existing;
    const bounds = await this.requireBudget(request, prepared);
    const relayId = randomUUID();
    const facts = { ...request, ...(await this.#describe(request)), key, relayId, createdAtMs: clock.nowMs() };
    try {
      // The same key if the request is repeated before the row is stored; a new key after a relay has failed.
      const transactionKey = this.#ports.hashJson([request.wallet, request.kind, key, existing?.relay.relayId ?? null]);
      await writer.submit({ kind: "relay", key: transactionKey, to, data, relay: { ...facts, bounds } });
    } catch (error) {
      if (error instanceof OperatorBudgetError)
        throw this.#createExhaustedError("operatorCallsPerDay", error.resetsAtMs, prepared);
      if (!(error instanceof SponsorshipExceededError)) throw error;
      const [bound] = error.exceeded.values();
      throw this.#createExhaustedError(bound!, toResetMs(facts.day), prepared);
    }
    return (await store.findLatest(request.wallet, request.kind, key))!;
  }

  /**
   * Finds the latest relay. Looks a failed one up on the chain: if a reorganization dropped its block, it is pending
   * again.
   */
  async #findLatest({ wallet, kind }: RelayRequest, key: string): Promise<RelayState | null> {
    const { store, writer } = this.#ports;
    const latest = await store.findLatest(wallet, kind, key);
    if (latest?.transaction.status !== "failed") return latest;
    await writer.refresh(latest.relay.transactionId);
    return await store.findLatest(wallet, kind, key);
  }

  /**
   * `bound` null: the service does not pay for other wallets. `resetsAtMs`: the end of the day that the bound applies
   * to; it may have passed.
   */
  #createExhaustedError(
    bound: SponsorshipBound | "operatorCallsPerDay" | null,
    resetsAtMs: number,
    prepared: SignedCall,
  ): ArcadeError {
    const resetsAt = toIso(resetsAtMs);
    const message =
      bound === null
        ? "This service pays no gas of others; send `call` from the wallet."
        : `Expected a relay within the day's bounds of /api/gates, this one exceeds ${bound}; send \`call\` from the wallet, or ask again after ${resetsAt}.`;
    const retryAfterSeconds = Math.max(1, Math.ceil((resetsAtMs - this.#ports.clock.nowMs()) / 1000));
    return new ArcadeError("SPONSORSHIP_EXHAUSTED", message, { ...prepared, bound, resetsAt, retryAfterSeconds });
  }
}
