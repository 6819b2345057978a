/** The link between a backend and the chain: latency, and all faults of a node. */
import type { Hex } from "viem";
import { type Answer, answerEarly, changeAnswer } from "../../../testing/chaos/answers.ts";
import type { Call } from "../../../testing/chaos/faults.ts";
import type { Random } from "../../../testing/random.ts";
import { type Chain, NodeError, toQuantity } from "../chain/chain.ts";
import { ModelNode, RANGE_EXCEEDED } from "../chain/node.ts";
import { type EventLoop, getOwner, runAs, type SimulatedProcess } from "../world/event-loop.ts";
import type { Network } from "../world/globals.ts";
import { mark } from "./coverage.ts";
import type { Fault, WindowKind } from "./faults.ts";
import { HighEstimates } from "./high-estimates.ts";

export interface NodeLinkOptions {
  readonly chain: Chain;
  readonly chainId: number;
  /** The depth of final blocks. */
  readonly finalDepth: number;
  readonly hasBlooms: boolean;
  readonly loop: EventLoop;
  readonly random: Random;
  /** Whether the node of the backend with this name has the fault. */
  readonly isActive: (kind: WindowKind, name: string) => boolean;
  /** How many blocks the node of the backend with this name is behind, drawn for each request to a pool. */
  readonly drawLag: (name: string) => number;
  /** Whether a request that was sent arrives even if its process has ended. */
  readonly outlivesProcess: boolean;
  readonly note: (text: string) => void;
  /** Called when the node does not accept a transaction. */
  readonly onRefused: (raw: Hex, reason: string) => void;
  readonly onAccepted: (raw: Hex) => void;
  /** Called right after the answer that a fault names. */
  readonly onReorg: (fault: ReorgAtAnswer) => void;
  /** Called when transactions have left a process, signed and serialized. */
  readonly onSent: (process: SimulatedProcess, raws: readonly Hex[]) => void;
}

const LATENCY_MS = { least: 1, most: 12 };
const ARRIVAL_MS = 0.001;
/** The backend waits this long for an answer. */
const DEADLINE_MS = 5_000;
const SLOW_MS = { least: 500, most: 4_000 };
const RANGE_LIMIT_BLOCKS = 10;
const SEND = "eth_sendRawTransaction";
const ESTIMATE = "eth_estimateGas";
const RECEIPTS: readonly string[] = ["eth_getTransactionReceipt", "eth_getBlockReceipts", "eth_getTransactionByHash"];

/** Logs of several blocks, beside those of one block by its hash. */
export const LOGS_OF_BLOCKS = "eth_getLogs of blocks";
const isOfBlocks = ({ method, params }: Call): boolean =>
  method === "eth_getLogs" && (params![0] as { readonly blockHash?: string }).blockHash === undefined;

type ReorgAtAnswer = Extract<Fault, { readonly kind: "reorg at answer" }>;

export class NodeLink {
  /** How many of the next sends are lost, or rejected although the network has them. */
  #sendsLost = 0;
  #sendsRefused = 0;
  /** How many of the next estimates fail, like a node that is restarted. */
  estimatesFailing = 0;
  /** Estimates that are higher than the policy allows. */
  readonly highEstimates = new HighEstimates();
  /** The next answer with logs is replaced by an empty one. */
  #logsMissing = 0;
  /** The answers about mined transactions, by number in the run, that claim there is no receipt. */
  readonly #receiptsMissing = new Set<number>();
  /** By how much the n-th answers about an account's nonces are wrong. */
  readonly #wrongNonces = new Map<number, number>();
  /** The reorganizations right after an answer, and how many answers each method has had. */
  #reorgs: readonly ReorgAtAnswer[] = [];
  readonly #answers = new Map<string, number>();
  /** How many transactions were looked up by hash. */
  lookUps = 0;
  /** The longest range of logs in blocks; null for no limit beside that of a fault. */
  rangeMax: number | null = null;
  /** When the node did not know the tag `finalized`. */
  tagUnknownMs: number | null = null;
  #counted: { readonly process: SimulatedProcess; readonly counts: Map<string, number> } | null = null;
  #receipts = 0;
  #nonces = 0;
  /** When a request last got no answer. */
  #silentMs = Number.NEGATIVE_INFINITY;
  readonly #options: NodeLinkOptions;

  constructor(options: NodeLinkOptions) {
    this.#options = options;
  }

  /** Counts the next wrong answers. */
  plan(fault: Fault): void {
    if (fault.kind === "send lost") this.#sendsLost += fault.count;
    if (fault.kind === "send refused but mined") this.#sendsRefused += fault.count;
    if (fault.kind === "estimate failed") this.estimatesFailing += fault.count;
    this.highEstimates.plan(fault);
    if (fault.kind === "logs missing once") this.#logsMissing += 1;
    if (fault.kind === "receipt missing once") this.#receiptsMissing.add(fault.count);
    if (fault.kind === "nonce wrong once") this.#wrongNonces.set(fault.count, fault.by);
    if (fault.kind === "reorg at answer") this.#reorgs = [...this.#reorgs, fault];
  }

  /** Whether a process may have waited since then for an answer that does not come. */
  wasAwaited(sinceMs: number): boolean {
    return sinceMs < this.#silentMs + DEADLINE_MS;
  }

  /** From now on every send and every answer is right. */
  reset(): void {
    this.#sendsLost = 0;
    this.#sendsRefused = 0;
    this.estimatesFailing = 0;
    this.highEstimates.reset();
    this.#logsMissing = 0;
    this.#receiptsMissing.clear();
    this.#wrongNonces.clear();
    this.#reorgs = [];
  }

  /** Counts the process's requests about blocks and logs from now on; null to stop. */
  countRequests(process: SimulatedProcess | null): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    this.#counted = process === null ? null : { process, counts };
    return counts;
  }

  readonly network: Network = async (url, body) => {
    const { outlivesProcess, loop } = this.#options;
    this.#count(body);
    const name = new URL(url).pathname.slice(1);
    const asked = outlivesProcess ? runAs(null, () => this.#ask(name, body)) : this.#ask(name, body);
    this.#reportSent(body);
    const { delayMs, ...answer } = await asked;
    // On its way to the process. It waits for a suspended one.
    await loop.sleep(delayMs);
    return answer;
  };

  #count(body: string): void {
    if (this.#counted === null || this.#counted.process !== getOwner()) return;
    const { counts } = this.#counted;
    for (const { method, params } of [JSON.parse(body) as Call | readonly Call[]].flat()) {
      if (method !== "eth_getBlockByNumber" && method !== "eth_getLogs") continue;
      const add = (what: string, by = 1) => counts.set(what, (counts.get(what) ?? 0) + by);
      const [target] = params as readonly [string | { readonly [field: string]: string }];
      if (typeof target === "string") add(/^[a-z]+$/.test(target) ? target : "header");
      else if (target.blockHash !== undefined) add("logs of a block");
      else {
        add("logs of blocks");
        add("blocks of logs", Number(target.toBlock) - Number(target.fromBlock) + 1);
      }
    }
  }

  #reportSent(body: string): void {
    const owner = getOwner();
    if (owner === null || !body.includes(SEND)) return;
    const questions = [JSON.parse(body) as Call | readonly Call[]].flat();
    const raws = questions.filter(({ method }) => method === SEND).map(({ params }) => params![0] as Hex);
    this.#options.onSent(owner, raws);
  }

  /** `delayMs`: the answer's latency from the node to the process. */
  async #ask(name: string, body: string): Promise<Awaited<ReturnType<Network>> & { readonly delayMs: number }> {
    const { loop, random } = this.#options;
    const isActive = (kind: WindowKind): boolean => this.#options.isActive(kind, name);
    if (isActive("node slow")) mark("fault", "node slow");
    if (isActive("node silent")) {
      mark("fault", "node silent");
      this.#silentMs = loop.nowMs;
      return await new Promise(() => undefined);
    }
    const range = isActive("node slow") ? SLOW_MS : LATENCY_MS;
    await loop.sleep(random.between(range.least, range.most));
    if (isActive("node errors")) mark("fault", "node errors");
    const failsOnce = this.estimatesFailing > 0 && body.includes(ESTIMATE);
    if (failsOnce) {
      this.estimatesFailing -= 1;
      mark("fault", "estimate failed");
    }
    if (failsOnce || isActive("node errors"))
      return { status: 503, text: '{"error":"unavailable"}', delayMs: ARRIVAL_MS };
    const questions = JSON.parse(body) as Call | readonly Call[];
    const lag = this.#options.drawLag(name);
    const answer = Array.isArray(questions)
      ? questions.map((question) => this.#answer(question, name, lag))
      : this.#answer(questions as Call, name, lag);
    const text = JSON.stringify(answer);
    this.#reorganize([questions].flat());
    return { status: 200, text, delayMs: random.between(LATENCY_MS.least, LATENCY_MS.most) };
  }

  #answer(call: Call, name: string, lag: number): Answer {
    const { note, onRefused, onAccepted } = this.#options;
    const { method, params = [] } = call;
    if (method === RECEIPTS[0]) this.lookUps += 1;
    if (method === SEND) note(`send ${params[0]}`);
    if (method === SEND && this.#sendsLost > 0) {
      this.#sendsLost -= 1;
      mark("fault", "send lost");
      note("the send is lost");
      return answerEarly(call, "send lost", undefined)!;
    }
    const answer = this.#handle(call, name, lag);
    if (answer.error?.code === RANGE_EXCEEDED) mark("fault", "log range limit");
    if (answer.error !== undefined) {
      if (method === SEND) note(`node refuses: ${answer.error.message}`);
      if (method === SEND) onRefused(params[0] as Hex, answer.error.message);
      return answer;
    }
    if (method === SEND) onAccepted(params[0] as Hex);
    if (method === SEND && this.#sendsRefused > 0) {
      this.#sendsRefused -= 1;
      mark("fault", "send refused but mined");
      note("the send is refused although the network has it");
      onRefused(params[0] as Hex, "internal error");
      return changeAnswer("send refused but mined", answer);
    }
    if (method === "eth_getLogs" && this.#options.isActive("logs late", name)) {
      if ((answer.result as readonly unknown[]).length > 0) mark("fault", "logs late");
      return changeAnswer("logs missing", answer);
    }
    if (method === "eth_getLogs" && this.#logsMissing > 0 && (answer.result as readonly unknown[]).length > 0) {
      this.#logsMissing -= 1;
      mark("fault", "logs missing once");
      note("logs are missing once");
      return changeAnswer("logs missing", answer);
    }
    const high = method === ESTIMATE ? this.highEstimates.replace(answer) : null;
    if (high !== null) note("the estimate is too high");
    return high ?? this.#falsify(method, answer);
  }

  #reorganize(questions: readonly Call[]): void {
    if (this.#reorgs.length === 0) return;
    for (const question of questions) {
      const method = isOfBlocks(question) ? LOGS_OF_BLOCKS : question.method;
      const answers = (this.#answers.get(method) ?? 0) + 1;
      this.#answers.set(method, answers);
      const due = this.#reorgs.filter((fault) => fault.method === method && fault.count === answers);
      for (const fault of due) this.#options.onReorg(fault);
    }
  }

  #handle(call: Call, name: string, lag: number): Answer {
    const answer = this.#handleBehind(call, name, lag);
    if (lag === 0) return answer;
    if (call.method !== SEND && JSON.stringify(answer) !== JSON.stringify(this.#handleBehind(call, name, 0)))
      mark("fault", "node behind");
    return answer;
  }

  #handleBehind({ id, method, params = [] }: Call, name: string, lagBlocks: number): Answer {
    const { chain, chainId, isActive, hasBlooms } = this.#options;
    const rangeMax = isActive("log range limit", name) ? RANGE_LIMIT_BLOCKS : this.rangeMax;
    const finalDepth = isActive("tag unknown", name) ? null : this.#options.finalDepth;
    if (finalDepth === null && params[0] === "finalized") this.tagUnknownMs = this.#options.loop.nowMs;
    try {
      const view = { chain, chainId, lagBlocks, rangeMax, finalDepth, hasBlooms };
      const result = new ModelNode(view).handle(method, params);
      return { id, result };
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      const { code, message, data } = error;
      return { id, error: { code, message, ...(data === undefined ? {} : { data }) } };
    }
  }

  /** Applies the wrong answers that occur once. */
  #falsify(method: string, answer: Answer): Answer {
    const { note } = this.#options;
    if (RECEIPTS.includes(method) && answer.result !== null) {
      this.#receipts += 1;
      if (!this.#receiptsMissing.delete(this.#receipts)) return answer;
      mark("fault", "receipt missing once");
      note(`${method}: the receipt is missing once`);
      return changeAnswer("receipt missing", answer);
    }
    if (method !== "eth_getTransactionCount") return answer;
    this.#nonces += 1;
    const by = this.#wrongNonces.get(this.#nonces);
    if (by === undefined) return answer;
    mark("fault", "nonce wrong once");
    note(`${method}: wrong by ${by} once`);
    return { ...answer, result: toQuantity(Math.max(0, Number(answer.result) + by)) };
  }
}
