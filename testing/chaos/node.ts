/** A JSON-RPC proxy in front of any node, that fails as the seed decides, and records what it did. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { type Hex, keccak256 } from "viem";
import { TestingError } from "../errors.ts";
import { endWithProcess } from "../temp-folder.ts";
import { type ChaosKind, checkChaos, drawFault, type Fault, type FaultName, isOfKind, readFaults } from "./faults.ts";

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
  close(): Promise<void>;
}

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}
type Answer = { readonly id: unknown; readonly result?: unknown; readonly error?: unknown };

const SLOW_MS = 500;
const LAG_BLOCKS = 2;
const PROBE_MS = 5_000;

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
      return { ...answer, result: `0x${Math.max(0, Number(answer.result) - LAG_BLOCKS).toString(16)}` };
    default:
      return answer;
  }
}

class RunningChaos {
  readonly faults: Fault[] = [];
  readonly #counts = new Map<ChaosKind, number>();
  readonly #kinds: readonly ChaosKind[];
  readonly #options: ChaosOptions;

  constructor({ replay, ...options }: ChaosOptions) {
    this.#options = { ...options, ...(replay !== undefined && { replay: readFaults(replay) }) };
    const kinds = replay?.map(({ kind }) => kind) ?? options.chaos ?? [];
    this.#kinds = [...new Set(checkChaos(kinds, options.seed ?? 1))];
  }

  /** The fault of a call; the first kind with one decides. */
  #decide(method: string): FaultName | null {
    const { seed = 1, replay } = this.#options;
    let found: FaultName | null = null;
    for (const kind of this.#kinds) {
      if (!isOfKind(kind, method)) continue;
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

  async answer(body: string, response: ServerResponse): Promise<void> {
    const calls = [JSON.parse(body) as Call | Call[]].flat();
    const decided = new Map(calls.map((call) => [call.id, this.#decide(call.method)]));
    const all = [...decided.values()];
    if (all.includes("cut")) return void response.destroy();
    const status = all.find((fault) => fault?.startsWith("status"));
    if (status !== undefined) return void response.writeHead(Number(status!.slice(-3))).end("<html>try again</html>");
    if (all.includes("slow")) await sleep(SLOW_MS);
    if (all.includes("send twice")) await this.#ask(body);
    const lost = calls.length === 1 && all[0] === "send lost";
    response.setHeader("Content-Type", "application/json");
    if (lost)
      return void response.end(
        JSON.stringify({ jsonrpc: "2.0", id: calls[0]!.id, result: keccak256(calls[0]!.params?.[0] as Hex) }),
      );
    const answered = await this.#ask(body);
    if (all.every((fault) => fault === null)) return void response.end(answered);
    const parsed = JSON.parse(answered) as Answer | Answer[];
    const change = (one: Answer): Answer => {
      const fault = decided.get(one.id) ?? null;
      return fault === null ? one : changeAnswer(fault, one);
    };
    response.end(JSON.stringify(Array.isArray(parsed) ? parsed.map(change) : change(parsed)));
  }
}

/** Starts the proxy on loopback. Throws `TestingError` for unknown kinds, an absent node and a port in use. */
export async function startChaosNode(options: ChaosOptions): Promise<ChaosNode> {
  const chaos = new RunningChaos(options);
  await findNode(options.to);
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
    close: async () => {
      release();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
