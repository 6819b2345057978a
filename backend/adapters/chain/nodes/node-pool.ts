/** Several nodes of one chain: decides which to trust, and on which head they agree. */
import type { ChainNodeStatus, Clock, Log } from "../../../ports/system.ts";
import { createUnavailableError, describeError } from "../rpc-errors.ts";
import { createNodeTransport } from "../transport.ts";
import { findBestHead, findHeadProblem, findOutvoted, type NamedChain } from "./judge.ts";
import { type NodeRequest, type RpcBlock, readChain } from "./named-chain.ts";

/** How long to wait for a head after another node has reported its own. */
const GRACE_MS = 300;
/** A head is valid for this time after its node has reported it. */
const FRESH_MS = 3_000;
/** A node that responds more slowly is used only if no other node is. */
const SLOW_MS = 1_500;
/** A slow node is used again after a response within this time, which is shorter so that its state does not flap. */
const PROMPT_AGAIN_MS = 1_000;
/** For this time the chain does not go back to a node that is behind the best head seen. */
const BEST_KEPT_MS = 30_000;
/** The longest wait for one response. */
const TIMEOUT_MS = 5_000;

interface NodeHead {
  readonly block: RpcBlock;
  readonly chain: NamedChain;
  /** When the node reported it, `tookMs` after the request. */
  readonly atMs: number;
  readonly tookMs: number;
}

interface Problem {
  /** `away`: used only if no other node responds; `wrong`: its responses are not trusted. */
  readonly kind: "away" | "wrong";
  readonly text: string;
}

interface Node {
  readonly place: number;
  readonly host: string;
  readonly request: NodeRequest;
  head: NodeHead | null;
  problem: Problem | null;
  /** Its last response came in time. */
  isQuick: boolean;
  pending: Promise<void> | null;
  wasUsed: boolean;
}

export interface NodePoolOptions {
  readonly rpcUrls: readonly string[];
  readonly chainId: number;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
}

/** The nodes of `ARCADE_RPC_URL`, in its order. */
export class NodePool {
  readonly rpcUrls: readonly string[];
  readonly clock: Clock;
  readonly #options: NodePoolOptions;
  readonly #nodes: readonly Node[];
  #round: Promise<void> | null = null;
  #best: { readonly number: number; readonly atMs: number } | null = null;

  constructor(options: NodePoolOptions) {
    this.#options = options;
    this.rpcUrls = options.rpcUrls;
    this.clock = options.clock;
    this.#nodes = options.rpcUrls.map((rpcUrl, index) => ({
      place: index + 1,
      host: new URL(rpcUrl).host,
      request: createNodeTransport(rpcUrl, TIMEOUT_MS)({ retryCount: 0 }).request as NodeRequest,
      head: null,
      problem: null,
      isQuick: true,
      pending: null,
      wasUsed: true,
    }));
  }

  /** Reads the latest block from the nodes. Throws `CHAIN_UNAVAILABLE` if none can be trusted. */
  async readHead(): Promise<RpcBlock> {
    this.#round ??= this.#ask().finally(() => {
      this.#round = null;
    });
    await this.#round;
    const [first] = this.#listUsed();
    if (first?.head) return first.head.block;
    const problems = this.status().map(({ place, problem }) => `node ${place} ${problem ?? "has not answered yet"}`);
    throw createUnavailableError(problems.join("; "));
  }

  /** The indexes of the nodes to use, best first. Includes untrusted ones only if there are no others. */
  rank(): readonly number[] {
    const used = this.#listUsed();
    const away = this.#nodes.filter((node) => !used.includes(node) && node.problem?.kind !== "wrong");
    const ranked = [...used, ...away];
    return (ranked.length === 0 ? this.#nodes : ranked).map(({ place }) => place - 1);
  }

  /** The indexes of the nodes with trusted heads; if there are none yet, of all usable nodes. */
  listBelieved(): readonly number[] {
    const used = this.#listUsed();
    return used.length === 0 ? this.rank() : used.map(({ place }) => place - 1);
  }

  status(): readonly ChainNodeStatus[] {
    return this.#nodes.map(({ place, host, head, problem }) => ({
      place,
      host,
      head: head?.chain.number ?? null,
      problem: problem?.text ?? null,
    }));
  }

  /** Nodes with trusted heads: highest head first, then quick ones, then configuration order. */
  #listUsed(): readonly Node[] {
    const used = this.#nodes.filter(({ problem, head }) => problem === null && head !== null);
    return [...used].sort(
      (a, b) =>
        b.head!.chain.number - a.head!.chain.number || Number(b.isQuick) - Number(a.isQuick) || a.place - b.place,
    );
  }

  /** Requests the head from every node; waits for those that were quick the last time. */
  async #ask(): Promise<void> {
    const asks = this.#nodes.map((node) => {
      node.pending ??= this.#askNode(node).finally(() => {
        node.pending = null;
      });
      return node.pending;
    });
    const quick = asks.filter((_, index) => this.#nodes[index]!.isQuick);
    await this.#waitAtMost(GRACE_MS, Promise.all(quick.length === 0 ? asks : quick));
    if (!this.#nodes.some((node) => this.#isFresh(node))) await this.#waitForAnswer(asks);
    for (const node of this.#nodes) if (node.pending !== null) node.isQuick = false;
    this.#judge();
  }

  async #waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
    let cancel = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      cancel = this.clock.after(ms, resolve);
    });
    await Promise.race([work, late]);
    cancel();
  }

  /** Waits until one node has reported a head, or all have failed. */
  async #waitForAnswer(asks: readonly Promise<void>[]): Promise<void> {
    const answers = asks.map(async (ask, index) => {
      await ask;
      if (this.#nodes[index]!.head === null) throw new Error("no head");
    });
    await Promise.any(answers).catch(() => undefined);
  }

  async #askNode(node: Node): Promise<void> {
    const startedAtMs = this.clock.monotonicMs();
    try {
      const problem = await this.#readNode(node);
      // Whether to trust a node with a head is decided when it is compared with the others.
      if (problem !== null) this.#reject(node, problem);
    } catch (error) {
      this.#reject(node, { kind: "away", text: `does not answer (${describeError(error)})` });
    }
    node.isQuick = this.clock.monotonicMs() - startedAtMs <= GRACE_MS;
  }

  #reject(node: Node, problem: Problem): void {
    node.problem = problem;
    node.head = null;
  }

  /** Reads a node's chain and head. A node must have the blocks below a new head. */
  async #readNode(node: Node): Promise<Problem | null> {
    const startedAtMs = this.clock.monotonicMs();
    const [servedChainId, block] = await Promise.all([
      node.request({ method: "eth_chainId" }),
      node.request({ method: "eth_getBlockByNumber", params: ["latest", false] }) as Promise<RpcBlock>,
    ]);
    const { chainId } = this.#options;
    if (Number(servedChainId) !== chainId)
      return { kind: "wrong", text: `serves chain ${Number(servedChainId)} instead of ${chainId}` };
    const isKnown = block.hash === node.head?.block.hash && block.number === node.head.block.number;
    const chain = isKnown ? node.head!.chain : await readChain(node.request, block, node.head?.chain ?? null);
    if (typeof chain === "string") return { kind: "wrong", text: chain };
    const atMs = this.clock.monotonicMs();
    node.head = { block, chain, atMs, tookMs: atMs - startedAtMs };
    return null;
  }

  #isFresh({ head }: Node): boolean {
    return head !== null && this.clock.monotonicMs() - head.atMs <= FRESH_MS;
  }

  #isPrompt({ head, problem }: Node): boolean {
    return head!.tookMs <= (problem?.kind === "away" ? PROMPT_AGAIN_MS : SLOW_MS);
  }

  /** Compares the heads and decides which nodes to trust; slow ones only if there is no other. */
  #judge(): void {
    const nowMs = this.clock.monotonicMs();
    const fresh = this.#nodes.filter((node) => this.#isFresh(node));
    const outvoted = findOutvoted(fresh.map(({ head }) => head!.chain));
    const believed = fresh.map(({ head }) => head!.chain).filter((chain) => !outvoted.has(chain));
    const found = findBestHead(believed.map(({ number }) => number));
    const isKept = this.#best !== null && nowMs - this.#best.atMs <= BEST_KEPT_MS;
    if (found !== null && (!isKept || found >= this.#best!.number)) this.#best = { number: found, atMs: nowMs };
    const [prompt, slow] = [true, false].map((isPrompt) => fresh.filter((node) => this.#isPrompt(node) === isPrompt));
    for (const node of fresh) this.#compare(node, outvoted.get(node.head!.chain));
    if (prompt!.some(({ problem }) => problem === null))
      for (const node of slow!) node.problem ??= { kind: "away", text: "does not answer (too slow)" };
    for (const node of this.#nodes) {
      if (!fresh.includes(node)) node.problem ??= { kind: "away", text: "does not answer (no answer in time)" };
      this.#logChange(node);
    }
  }

  /** `differsAt`: the number of a block that other nodes report differently. */
  #compare(node: Node, differsAt: number | undefined): void {
    const lag = findHeadProblem(node.head!.chain.number, this.#best!.number);
    const text = differsAt === undefined ? lag : `has another block ${differsAt} than other nodes`;
    node.problem = text === null ? null : { kind: "wrong", text };
  }

  #logChange(node: Node): void {
    const isUsed = node.problem === null;
    if (isUsed === node.wasUsed) return;
    node.wasUsed = isUsed;
    const fields = { node: node.place, host: node.host };
    if (isUsed) this.#options.log.info(fields, "a node of the chain is used again");
    else this.#options.log.warn({ ...fields, problem: node.problem!.text }, "a node of the chain is not used");
  }
}
