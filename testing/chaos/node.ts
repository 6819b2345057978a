/** A JSON-RPC proxy in front of any node. It fails as the seed decides, and records its faults. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { type Hex, isHex, keccak256 } from "viem";
import { postJson } from "../../backend/adapters/node/post-json.ts";
import { admitRequest } from "../../local-chain/rpc-server.ts";
import { requireInteger, TestingError } from "../errors.ts";
import { endWithProcess } from "../temp-folder.ts";
import { type Answer, answerEarly, breakResponse, changeAnswer, LAG_BLOCKS, toHex } from "./answers.ts";
import { type Call, type Fault, type FaultName, type FaultRule, KINDS, readReorg } from "./faults.ts";
import { FaultPlan, type PlanOptions } from "./plan.ts";

export interface ChaosOptions extends PlanOptions {
  /** The URL of the node behind the proxy. */
  readonly to: string;
  readonly port?: number;
}

/** Changes the answer to a call. */
export type Intercept = (call: Call, answer: Answer) => Answer;

export interface ChaosNode {
  readonly url: string;
  /** The faults so far, for a replay. */
  readonly faults: readonly Fault[];
  /** The last calls that arrived. */
  readonly calls: readonly Call[];
  /** From now on each matching call gets this fault; null: only the seed's faults. */
  fail(fault: FaultName | null, rule?: FaultRule): void;
  /** Changes answers; null turns it off. */
  intercept(change: Intercept | null): void;
  /** Runs before the calls of a request are forwarded. If it throws, the connection is cut. */
  before(run: (calls: readonly Call[]) => unknown): void;
  /** Replaces the last blocks with others without the transactions of `lose`, or without all of them by default. */
  reorg(depth: number, options?: { readonly lose?: readonly Hex[] }): Promise<void>;
  close(): Promise<void>;
}

const SLOW_MS = 500;
/** A late transaction reaches the node after this many further calls. */
const LATE_CALLS = 10;
const CALLS_KEPT = 10_000;
/** Error codes of nodes that lack a method. */
const UNKNOWN_METHOD: readonly number[] = [-32_601, -32_004];
const PROBE_MS = 5_000;
/** Nodes that fork another chain can be slow. */
const ANSWER_MAX_MS = 300_000;
const BYTES_MAX = 2 ** 28;
const NONE_PASSED = { ok: true, status: 200, text: "[]" };
const SEND = "eth_sendRawTransaction";

/** Throws a `TestingError` if no node answers. */
async function findNode(to: string): Promise<void> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] });
  const headers = { "Content-Type": "application/json" };
  try {
    const response = await fetch(to, { method: "POST", headers, body, signal: AbortSignal.timeout(PROBE_MS) });
    if (typeof ((await response.json()) as { result?: unknown }).result === "string") return;
  } catch (cause) {
    throw new TestingError(
      "NODE_UNREACHABLE",
      `to: expected the address of a running node; nothing answers at ${to}`,
      cause,
    );
  }
  throw new TestingError("NODE_UNREACHABLE", `to: expected a JSON-RPC node; ${to} does not answer eth_chainId`);
}

class RunningChaos {
  readonly plan: FaultPlan;
  readonly calls: Call[] = [];
  intercept: Intercept | null = null;
  before: (calls: readonly Call[]) => unknown = () => undefined;
  readonly #url: URL;
  /** The transactions that were sent through the proxy. */
  readonly #sent = new Set<Hex>();
  #late: { readonly raw: unknown; readonly atCall: number }[] = [];
  #callCount = 0;
  #firstBlock = 0;
  /** The block at which the head is stuck. */
  #stuckAt: number | null = null;

  constructor({ to, ...options }: ChaosOptions) {
    this.#url = new URL(to);
    this.plan = new FaultPlan(options);
  }

  fail(fault: unknown, rule?: unknown): void {
    this.plan.setRule(fault, rule);
    this.#stuckAt = null;
  }

  #ask(body: string): ReturnType<typeof postJson> {
    return postJson({ url: this.#url, headers: {}, body, timeoutMs: ANSWER_MAX_MS, bytesMax: BYTES_MAX });
  }

  /** Throws with the node's message. */
  async #call<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    const { text } = await this.#ask(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
    const answer = JSON.parse(text) as Answer;
    if (answer.error === undefined) return answer.result as T;
    throw new Error(`${method}: ${answer.error.message}`);
  }

  /** Remembers which blocks existed before: no reorganization replaces them. */
  async start(): Promise<void> {
    this.#firstBlock = Number(await this.#call("eth_blockNumber")) + 1;
    if (!this.plan.kinds.includes("reorg")) return;
    // Without a depth, a node that knows the method returns an error and changes nothing.
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "anvil_reorg", params: [] });
    const { error } = JSON.parse((await this.#ask(body)).text) as Answer;
    if (!UNKNOWN_METHOD.includes(error?.code ?? 0)) return;
    const others = KINDS.filter((kind) => kind !== "reorg");
    throw new TestingError("UNKNOWN_FAULT", `chaos: this node has no anvil_reorg; expected ${others.join(", ")}`);
  }

  async reorg(depth: unknown, options?: unknown): Promise<void> {
    const { blocks, lose } = readReorg(depth, options);
    await this.#reorg(blocks, lose);
  }

  /** Only transactions that went through this proxy can be kept. */
  async #reorg(depth: number, lose?: readonly string[]): Promise<void> {
    const head = Number(await this.#call("eth_blockNumber"));
    const first = Math.max(this.#firstBlock, head - depth + 1);
    const sent = new Map([...this.#sent].map((raw) => [keccak256(raw), raw]));
    const kept: [string, number][] = [];
    for (let number = first; lose !== undefined && number <= head; number++) {
      const block = await this.#call<{ transactions: Hex[] }>("eth_getBlockByNumber", [toHex(number), false]);
      for (const hash of block.transactions)
        if (sent.has(hash) && !lose.includes(hash)) kept.push([sent.get(hash)!, number - first]);
    }
    if (first <= head) await this.#call("anvil_reorg", [head - first + 1, kept]);
  }

  /** Sends the late transactions that are due; all of them if `isLast`. */
  async sendLate(isLast = false): Promise<void> {
    this.#callCount += 1;
    const due = this.#late.filter(({ atCall }) => isLast || atCall <= this.#callCount);
    this.#late = this.#late.filter((one) => !due.includes(one));
    for (const { raw } of due) await this.#call(SEND, [raw]).catch(() => undefined);
  }

  /** Applies a fault before a call is forwarded; returns how to forward it. */
  async #changeCall(call: Call, fault: FaultName | null): Promise<Call> {
    const [raw] = call.params ?? [];
    if (call.method === SEND && isHex(raw)) this.#sent.add(raw);
    if (fault === "send twice") await this.#call(SEND, call.params).catch(() => undefined);
    if (fault === "send late") this.#late.push({ raw: call.params?.[0], atCall: this.#callCount + LATE_CALLS });
    if (fault?.startsWith("reorg"))
      await this.#reorg(Number(/\d/.exec(fault)![0]), fault.endsWith("lost") ? undefined : []);
    if (fault !== "head stuck" && (fault !== "head behind" || call.method !== "eth_getBlockByNumber")) return call;
    const head = Number(await this.#call("eth_blockNumber"));
    if (fault === "head stuck") this.#stuckAt ??= head;
    if (call.method === "eth_blockNumber") return call;
    const number = fault === "head stuck" ? this.#stuckAt! : Math.max(0, head - LAG_BLOCKS);
    return { ...call, params: [toHex(number), ...call.params!.slice(1)] };
  }

  #change(call: Call, fault: FaultName | null, given: Answer): Answer {
    const isStuck = fault === "head stuck" && call.method === "eth_blockNumber";
    const stuck = isStuck ? { ...given, result: toHex(this.#stuckAt!) } : given;
    const answer = fault === null || given.error !== undefined ? given : changeAnswer(fault, stuck);
    return this.intercept === null ? answer : this.intercept(call, answer);
  }

  /** Handles the proxy's own methods: `chaos_fail`, `chaos_reorg` and `chaos_faults`. */
  async #control({ id, method, params = [] }: Call): Promise<object> {
    try {
      if (method === "chaos_fail") this.fail(params[0] ?? null, params[1]);
      else if (method === "chaos_reorg") await this.reorg(params[0], params[1]);
      else if (method !== "chaos_faults") throw new Error(`expected chaos_fail, chaos_reorg or chaos_faults`);
      return { jsonrpc: "2.0", id, result: method === "chaos_faults" ? this.plan.faults : true };
    } catch (error) {
      return { jsonrpc: "2.0", id, error: { code: -32_602, message: (error as Error).message } };
    }
  }

  async answer(body: string, response: ServerResponse): Promise<void> {
    const parsed = JSON.parse(body) as Call | Call[];
    const calls = [parsed].flat();
    response.setHeader("Content-Type", "application/json");
    if (calls[0]?.method.startsWith("chaos_")) return void response.end(JSON.stringify(await this.#control(calls[0])));
    await this.sendLate();
    if (this.calls.push(...calls) > CALLS_KEPT) this.calls.splice(0, CALLS_KEPT / 2);
    const { ms = SLOW_MS, error } = this.plan.rule;
    const faults = this.plan.decide(calls);
    for (const fault of faults) if (breakResponse(fault, response)) return;
    await this.before(calls);
    if (faults.includes("slow")) await sleep(ms);
    const changed: Call[] = [];
    for (const [index, call] of calls.entries()) changed.push(await this.#changeCall(call, faults[index]!));
    const answers = calls.map((call, index) => answerEarly(call, faults[index]!, error));
    const passed = changed.filter((_, index) => answers[index] === undefined);
    const isBatch = Array.isArray(parsed);
    const passes = passed.length > 0;
    const isPlain = faults.every((fault) => fault === null);
    const sent = isPlain ? body : JSON.stringify(isBatch ? passed : passed[0]);
    const { ok, status, text } = passes ? await this.#ask(sent) : NONE_PASSED;
    response.statusCode = status;
    if (!ok || (isPlain && this.intercept === null)) return void response.end(text);
    // A node may reject a whole batch with one error, or leave out some of its answers.
    const given = JSON.parse(text) as Answer | Answer[];
    const find = (call: Call) => (Array.isArray(given) ? given.find(({ id }) => id === call.id) : given);
    const all = calls.flatMap((call, index) => {
      const answer = answers[index] ?? find(call);
      return answer === undefined ? [] : [this.#change(call, faults[index]!, answer)];
    });
    response.end(JSON.stringify(isBatch ? all : all[0]));
  }
}

/** Starts the proxy on loopback. Throws `TestingError` for unknown kinds, a missing node and a busy port. */
export async function startChaosNode(options: ChaosOptions): Promise<ChaosNode> {
  const { to } = options;
  const port = requireInteger("port", options.port ?? 0, 0, 65_535);
  if (!URL.canParse(to) || !/^https?:$/.test(new URL(to).protocol))
    throw new TestingError("INVALID_OPTION", `to: expected an http(s) URL of a node; received "${to}"`);
  const chaos = new RunningChaos(options);
  await findNode(to);
  await chaos.start();
  const server = createServer((request, response) => {
    if (!admitRequest(request, response)) return;
    text(request)
      .then((body) => chaos.answer(body, response))
      .catch(() => response.destroy());
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening").catch((cause: unknown) => {
    throw new TestingError("PORT_IN_USE", `port: ${port} is in use; expected a free one, or 0 for any`, cause);
  });
  const release = endWithProcess(() => server.closeAllConnections());
  const close = async (): Promise<void> => {
    await chaos.sendLate(true).catch(() => undefined);
    release();
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  let closing: Promise<void> | undefined;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults: chaos.plan.faults,
    calls: chaos.calls,
    fail: (fault, rule) => chaos.fail(fault, rule),
    intercept: (change) => {
      chaos.intercept = change;
    },
    before: (run) => {
      chaos.before = run;
    },
    reorg: (depth, options) => chaos.reorg(depth, options),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
