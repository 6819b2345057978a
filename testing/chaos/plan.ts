/** Decides which call gets which fault: by the seed, a record, or the current rule. */
import {
  type Call,
  type ChaosKind,
  checkChaos,
  drawFault,
  drawShare,
  type Fault,
  type FaultName,
  type FaultRule,
  findKind,
  isOfKind,
  KINDS,
  readFaults,
  readRule,
} from "./faults.ts";

export interface PlanOptions {
  readonly chaos?: readonly string[];
  readonly seed?: number;
  /** Exactly these faults instead of the seed's. */
  readonly replay?: readonly Fault[];
}

export class FaultPlan {
  /** The decisions so far. */
  readonly faults: Fault[] = [];
  readonly kinds: readonly ChaosKind[];
  readonly #seed: number;
  readonly #replay: readonly Fault[] | null;
  readonly #counts = new Map<ChaosKind, number>();
  #rule: (FaultRule & { readonly fault: FaultName }) | null = null;
  #ruleCount = 0;

  constructor({ chaos = [], seed = 1, replay }: PlanOptions) {
    this.#seed = seed;
    this.#replay = replay === undefined ? null : readFaults(replay);
    this.kinds = checkChaos(this.#replay?.map(({ kind }) => kind) ?? chaos, seed);
  }

  /** From now on each matching call gets this fault; null: only the seed's faults. */
  setRule(fault: unknown, rule: unknown = {}): void {
    this.#rule = fault === null ? null : readRule(fault, rule);
    this.#ruleCount = 0;
  }

  get rule(): FaultRule {
    return this.#rule ?? {};
  }

  /** The fault of each call of a request. */
  decide(calls: readonly Call[]): readonly (FaultName | null)[] {
    const forced = this.#force(calls);
    return calls.map((call, index) => this.#decide(call, forced[index]!));
  }

  #force(calls: readonly Call[]): readonly (FaultName | null)[] {
    const rule = this.#rule;
    if (rule === null || calls.length <= (rule.batchesAbove ?? 0)) return calls.map(() => null);
    const { fault, of, share = 1, times = Number.POSITIVE_INFINITY } = rule;
    const forced = calls.map((call) => {
      if (!isOfKind(findKind(fault), call) || (of !== undefined && call.method !== of)) return null;
      this.#ruleCount += 1;
      return drawShare(this.#seed, share, this.#ruleCount) ? fault : null;
    });
    if (!forced.includes(fault)) return forced;
    this.#rule = times > 1 ? { ...rule, times: times - 1 } : null;
    return forced;
  }

  #draw(kind: ChaosKind, call: number): FaultName | null {
    if (!this.kinds.includes(kind)) return null;
    if (this.#replay === null) return drawFault(this.#seed, kind, call);
    return this.#replay.find((one) => one.kind === kind && one.call === call)?.fault ?? null;
  }

  /** The rule's fault, or that of the first kind with one. */
  #decide(one: Call, forced: FaultName | null): FaultName | null {
    let found: FaultName | null = null;
    for (const kind of KINDS) {
      if (!isOfKind(kind, one)) continue;
      const call = (this.#counts.get(kind) ?? 0) + 1;
      this.#counts.set(kind, call);
      if (found !== null || (forced !== null && kind !== findKind(forced))) continue;
      found = forced ?? this.#draw(kind, call);
      if (found !== null) this.faults.push({ kind, call, fault: found });
    }
    return found;
  }
}
