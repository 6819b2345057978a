/** A JSON-RPC proxy in front of any node, that fails as the seed decides, and records what it did. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { type Hex, keccak256 } from "viem";
import { TestingError } from "../errors.ts";
import { endWithProcess } from "../temp-folder.ts";
import {
  type Call,
  CHAOS,
  type ChaosKind,
  checkChaos,
  drawFault,
  type Fault,
  type FaultName,
  isOfKind,
  readFaults,
} from "./faults.ts";

export interface ChaosOptions {
  /** The node behind. */
  readonly to: string;
  readonly chaos?: readonly string[];
  readonly seed?: number;
  /** Exactly these faults, in the place of the seed's. */
  readonly replay?: readonly Fault[];
  readonly port?: number;
}

export interface ChaosNode {
  readonly url: string;
  /** What it did so far, to be replayed. */
  readonly faults: readonly Fault[];
  /** Replaces the last blocks by others without the transactions of `lose`; all of them are lost when left out. */
  reorg(depth: number, options?: { readonly lose?: readonly Hex[] }): Promise<void>;
  close(): Promise<void>;
}

type Answer = { readonly id: unknown; readonly result?: unknown; readonly error?: unknown };

const SLOW_MS = 500;
const LAG_BLOCKS = 2;
/** A late transaction reaches the node after this number of further calls. */
const LATE_CALLS = 10;
/** By which nodes refuse a method that they do not have. */
const UNKNOWN_METHOD: readonly number[] = [-32_601, -32_004];
const PROBE_MS = 5_000;
const toHex = (number: number): string => `0x${number.toString(16)}`;

interface Block {
  readonly number: string;
  readonly hash: Hex;
  readonly transactions: readonly Hex[];
}

/** The head of a node that lies: a block that no node has. */
function invent(answer: Answer, blocks: number): Answer {
  if (typeof answer.result === "string") return { ...answer, result: toHex(Number(answer.result) + blocks) };
  const block = answer.result as Block;
  return { ...answer, result: { ...block, number: toHex(Number(block.number) + blocks), hash: keccak256(block.hash) } };
}

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

/** What the program gets in the place of the node's answer. */
function changeAnswer(fault: FaultName, answer: Answer): Answer {
  const { id } = answer;
  const fail = (code: number, message: string): Answer => ({
    ...answer,
    id,
    result: undefined,
    error: { code, message },
  });
  switch (fault) {
    case "send refused but mined":
      return fail(-32_000, "internal error");
    case "range limit":
      return fail(-32_005, "query exceeds the range of 10 blocks");
    case "receipt missing":
    case "transaction unknown":
      return { ...answer, result: null };
    case "logs missing":
      return { ...answer, result: [] };
    case "head behind":
      // A block was asked for by its number.
      return typeof answer.result === "string" ? invent(answer, -Math.min(LAG_BLOCKS, Number(answer.result))) : answer;
    case "head ahead":
      return invent(answer, LAG_BLOCKS);
    case "head of another hash":
      return invent(answer, 0);
    default:
      return answer;
  }
}

class RunningChaos {
  readonly faults: Fault[] = [];
  readonly #counts = new Map<ChaosKind, number>();
  readonly #kinds: readonly ChaosKind[];
  readonly #options: ChaosOptions;
  /** The transactions that came through it, by hash. */
  readonly #sent = new Map<Hex, Hex>();
  #late: { readonly body: string; readonly atCall: number }[] = [];
  #callCount = 0;
  #firstBlock = 0;

  constructor({ replay, ...options }: ChaosOptions) {
    this.#options = { ...options, ...(replay !== undefined && { replay: readFaults(replay) }) };
    const kinds = replay?.map(({ kind }) => kind) ?? options.chaos ?? [];
    this.#kinds = [...new Set(checkChaos(kinds, options.seed ?? 1))];
  }

  /** The fault of a call; the first kind with one decides. */
  #decide(one: Call): FaultName | null {
    const { seed = 1, replay } = this.#options;
    let found: FaultName | null = null;
    for (const kind of this.#kinds) {
      if (!isOfKind(kind, one)) continue;
      const call = (this.#counts.get(kind) ?? 0) + 1;
      this.#counts.set(kind, call);
      const known = replay?.find((one) => one.kind === kind && one.call === call)?.fault ?? null;
      const fault = replay === undefined ? drawFault(seed, kind, call) : known;
      if (found !== null || fault === null) continue;
      found = fault;
      this.faults.push({ kind, call, fault });
    }
    return found;
  }

  async #ask(body: string): Promise<string> {
    const headers = { "Content-Type": "application/json" };
    return (await fetch(this.#options.to, { method: "POST", headers, body })).text();
  }

  /** Throws with the node's message. */
  async #call<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    const answer = JSON.parse(await this.#ask(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))) as Answer;
    if (answer.error === undefined) return answer.result as T;
    throw new Error(`${method}: ${(answer.error as { readonly message?: string }).message}`);
  }

  /** Remembers which blocks were there before: no reorganization replaces them. */
  async start(): Promise<void> {
    this.#firstBlock = Number(await this.#call("eth_blockNumber")) + 1;
    if (!this.#kinds.includes("reorg")) return;
    // Without a depth every node that knows the method refuses, and does nothing.
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "anvil_reorg", params: [] });
    const { error } = JSON.parse(await this.#ask(body)) as { readonly error?: { readonly code: number } };
    if (!UNKNOWN_METHOD.includes(error?.code ?? 0)) return;
    const others = Object.keys(CHAOS).filter((kind) => kind !== "reorg");
    throw new TestingError("UNKNOWN_FAULT", `chaos: this node has no anvil_reorg; expected ${others.join(", ")}`);
  }

  /** Only transactions that came through this proxy can be kept. */
  async reorg(depth: number, lose?: readonly Hex[]): Promise<void> {
    const head = Number(await this.#call("eth_blockNumber"));
    const first = Math.max(this.#firstBlock, head - depth + 1);
    const kept: [string, number][] = [];
    for (let number = first; lose !== undefined && number <= head; number++) {
      const { transactions } = await this.#call<Block>("eth_getBlockByNumber", [toHex(number), false]);
      for (const hash of transactions)
        if (this.#sent.has(hash) && !lose.includes(hash)) kept.push([this.#sent.get(hash)!, number - first]);
    }
    if (first <= head) await this.#call("anvil_reorg", [head - first + 1, kept]);
  }

  /** Sends the late transactions that are due; all of them when `isLast`. */
  async sendLate(isLast = false): Promise<void> {
    this.#callCount += 1;
    const due = this.#late.filter(({ atCall }) => isLast || atCall <= this.#callCount);
    this.#late = this.#late.filter((one) => !due.includes(one));
    for (const { body } of due) await this.#ask(body);
  }

  async #changeCall(call: Call, fault: FaultName | null): Promise<Call> {
    if (call.method === "eth_sendRawTransaction") {
      const [raw] = call.params as [Hex];
      this.#sent.set(keccak256(raw), raw);
    }
    if (fault?.startsWith("reorg"))
      await this.reorg(Number(/\d/.exec(fault)![0]), fault.endsWith("lost") ? undefined : []);
    if (fault !== "head behind" || call.method !== "eth_getBlockByNumber") return call;
    const head = Number(await this.#call("eth_blockNumber"));
    return { ...call, params: [toHex(Math.max(0, head - LAG_BLOCKS)), ...call.params!.slice(1)] };
  }

  async answer(body: string, response: ServerResponse): Promise<void> {
    await this.sendLate();
    const parsed = JSON.parse(body) as Call | Call[];
    const calls = [parsed].flat();
    const decided = new Map(calls.map((call) => [call.id, this.#decide(call)]));
    const all = [...decided.values()];
    if (all.includes("hang")) return;
    if (all.includes("cut")) return void response.destroy();
    const status = all.find((fault) => fault?.startsWith("status"));
    if (status !== undefined) return void response.writeHead(Number(status!.slice(-3))).end("<html>try again</html>");
    if (all.includes("slow")) await sleep(SLOW_MS);
    if (all.includes("send twice")) await this.#ask(body);
    response.setHeader("Content-Type", "application/json");
    if (calls.length === 1 && (all[0] === "send lost" || all[0] === "send late")) {
      if (all[0] === "send late") this.#late.push({ body, atCall: this.#callCount + LATE_CALLS });
      const result = keccak256(calls[0]!.params?.[0] as Hex);
      return void response.end(JSON.stringify({ jsonrpc: "2.0", id: calls[0]!.id, result }));
    }
    const changed: Call[] = [];
    for (const call of calls) changed.push(await this.#changeCall(call, decided.get(call.id) ?? null));
    const answered = await this.#ask(JSON.stringify(Array.isArray(parsed) ? changed : changed[0]));
    if (all.every((fault) => fault === null)) return void response.end(answered);
    const answers = JSON.parse(answered) as Answer | Answer[];
    const change = (one: Answer): Answer => {
      const fault = decided.get(one.id) ?? null;
      return fault === null || one.error !== undefined ? one : changeAnswer(fault, one);
    };
    response.end(JSON.stringify(Array.isArray(answers) ? answers.map(change) : change(answers)));
  }
}

/** Starts the proxy on loopback. Throws `TestingError` for unknown kinds, an absent node and a port in use. */
export async function startChaosNode(options: ChaosOptions): Promise<ChaosNode> {
  const chaos = new RunningChaos(options);
  await findNode(options.to);
  await chaos.start();
  const server = createServer((request, response) => {
    text(request)
      .then((body) => chaos.answer(body, response))
      .catch(() => response.destroy());
  });
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening").catch((cause: unknown) => {
    throw new TestingError("PORT_IN_USE", `port: ${options.port} is in use; expected a free one, or 0 for any`, cause);
  });
  const release = endWithProcess(() => server.closeAllConnections());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults: chaos.faults,
    reorg: (depth, { lose } = {}) => chaos.reorg(depth, lose),
    close: async () => {
      await chaos.sendLate(true).catch(() => undefined);
      release();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
