/**
 * B4: the chain's node is cut off, silent, slow, faulty, on another chain, or stands still, one after the other, while
 * an agent plays ranked games. What must hold: games and sign-ins continue as before; requests that need the node are
 * answered within 6 s, at worst with 503 and a code; and 5 s after the fault the service agrees with the chain, also on
 * blocks that were mined during the fault.
 */
import { expect } from "chai";
import { createAnvilAgent } from "../../test/helpers/anvil-agent.ts";
import { type AnvilChain, CHAIN_WAIT_AS_SERVED, startAnvilChain } from "../../test/helpers/anvil-stack.ts";
import { type ContinuousPlayer, startContinuousPlayer } from "../../test/helpers/continuous-player.ts";
import { sendRequest } from "../../test/helpers/suite.ts";
import { addEndedSession } from "../../testing/ended-session.ts";
import { startAnvilServer } from "./support/anvil-server.ts";
import { expectFigure, IS_FULL_RUN, printFigures, SEED, scaleCount, sleep, waitUntil } from "./support/drill.ts";
import { formatProbes, Probes } from "./support/probes.ts";
import { type BackendProcess, startProxyCommand } from "./support/process.ts";

const FAULT_MS = scaleCount(30_000);
const PROBE_EVERY_MS = 200;
/** The longest wait of a request that needs the node. */
const ANSWER_MAX_MS = 6_000;
/** Short runs share the machine with other work: their bounds of time are wider. */
const PATIENCE = IS_FULL_RUN ? 1 : 5;
/** From the end of the fault until everything is as before. */
const BACK_MAX_MS = 5_000 * PATIENCE;
/** Requests that need no node are answered in this time. */
const UNTOUCHED_MAX_MS = 2_000 * PATIENCE;
/** Ends the drill if a snapshot is never signed; not a bound that the service must hold. */
const SIGNED_WITHIN_MS = 60_000;
/** The service checks a node's chain id every 5 s, plus the second that a request may wait. */
const OTHER_CHAIN_NOTICED_MS = 6_000;
const SLUG = "shellrunners";
const SIGNED = "signature";

/** The public command, whose faults are RPC calls. */
type Node = Awaited<ReturnType<typeof startProxyCommand>>;
type Agent = Awaited<ReturnType<typeof createAnvilAgent>>;

interface Fault {
  readonly name: string;
  /** The parameters of `chaos_fail`. */
  readonly params: readonly [string, object?];
  /** From this time on nothing may be signed; null: the node may still answer some requests. */
  readonly unsignedFromMs: number | null;
}

const FAULTS: readonly Fault[] = [
  { name: "cut", params: ["cut"], unsignedFromMs: 0 },
  { name: "black hole", params: ["hang"], unsignedFromMs: 0 },
  { name: "2 s slow", params: ["slow", { ms: 2_000 }], unsignedFromMs: 0 },
  { name: "10 % errors", params: ["error", { share: 0.1 }], unsignedFromMs: null },
  { name: "another chain", params: ["another chain"], unsignedFromMs: OTHER_CHAIN_NOTICED_MS },
  { name: "stale head", params: ["head stuck"], unsignedFromMs: null },
];

describe("B4: faults of the chain's node", function () {
  this.timeout(600_000);
  // Each test needs the service as the previous one found it.
  this.bail(true);
  let chain: AnvilChain;
  let node: Node;
  let server: BackendProcess;
  let agent: Agent;
  let player: ContinuousPlayer;

  before(async () => {
    chain = await startAnvilChain();
    node = await startProxyCommand(chain.rpcUrl, SEED);
    server = await startAnvilServer(chain, { rpcUrl: node.url, fault: "deadlines", env: CHAIN_WAIT_AS_SERVED });
    agent = await createAnvilAgent(chain, server.httpUrl);
    const other = await createAnvilAgent(chain, server.httpUrl);
    player = await startContinuousPlayer(other.client, SLUG);
  });
  after(async () => {
    await player?.stop().catch(() => undefined);
    server?.kill("SIGKILL");
    await server?.exited;
    node?.kill("SIGTERM");
    await node?.exited;
    await chain?.close();
  });

  const post = (path: string) => agent.post(path);

  /** A score that was signed; its transaction is sent during the fault. */
  async function prepareSnapshot() {
    const { sessionId } = await addEndedSession(chain, { wallet: agent.address, slug: SLUG });
    return { sessionId, body: await signSnapshot() };
  }

  /** Retries until the node answers within the second that a request waits: on a busy machine it may be slower. */
  async function signSnapshot() {
    let answer = await post("/api/rewards/snapshot");
    const isAnswered = async (): Promise<boolean> => {
      if (answer.body.code === "CHAIN_UNAVAILABLE") answer = await post("/api/rewards/snapshot");
      return answer.body.code !== "CHAIN_UNAVAILABLE";
    };
    await waitUntil("a snapshot is signed", isAnswered, SIGNED_WITHIN_MS);
    const { status, body } = answer;
    expect({ status, code: body.code }).to.deep.equal({ status: 200, code: undefined });
    return body;
  }

  async function probe(fault: Fault): Promise<Probes> {
    const probes = new Probes(server.httpUrl);
    const token = (await agent.client.signIn.accessToken())!;
    const endMs = performance.now() + FAULT_MS;
    do {
      await probes.signIn(SLUG);
      await probes.practice(SLUG);
      await probes.send(SIGNED, "POST", "/api/rewards/snapshot", { token });
      await probes.send("read", "POST", "/api/rewards/scorebank", { token });
      await sleep(PROBE_EVERY_MS);
    } while (performance.now() < endMs);
    expect(probes.all.length, fault.name).to.be.greaterThan(0);
    return probes;
  }

  /** Resolves when the service has the transactions mined during the fault, and signs again. */
  async function waitUntilBack(sessionId: string): Promise<number> {
    const repairedMs = performance.now();
    const isBack = async (): Promise<boolean> => {
      if ((await sendRequest(server.httpUrl, "GET", "/readyz")).status !== 200) return false;
      const [bank, head] = [await post("/api/rewards/scorebank"), await chain.client.getBlockNumber()];
      if (bank.status !== 200 || BigInt(bank.body.asOf.block) < head) return false;
      const repeated = await agent.post("/api/rewards/snapshot", { sessionId });
      if (repeated.status !== 200 || repeated.body.mode !== "already_done") return false;
      // The previous check used stored events; a signature needs the node.
      return (await post("/api/rewards/snapshot")).status === 200;
    };
    await waitUntil("the service is back", isBack, BACK_MAX_MS);
    return performance.now() - repairedMs;
  }

  function check({ name, unsignedFromMs }: Fault, probes: Probes, beganMs: number): void {
    const untouched = [...probes.list("sign-in"), ...probes.list("play")];
    expect(
      untouched.filter(({ status }) => status !== 200),
      name,
    ).to.deep.equal([]);
    const asking = [...probes.list(SIGNED), ...probes.list("read")];
    // The times of answers that need no node show how busy the machine is.
    const busyMs = IS_FULL_RUN ? 0 : Math.max(...untouched.map(({ ms }) => ms));
    const isTrue = ({ status, code }: (typeof asking)[number]) => status === 200 || code === "CHAIN_UNAVAILABLE";
    const breaches = asking.filter((one) => !isTrue(one) || one.defect !== null);
    expect(breaches, name).to.deep.equal([]);
    const firstMs = beganMs + (unsignedFromMs ?? Number.POSITIVE_INFINITY);
    const signed = probes.list(SIGNED).filter(({ startedMs, status }) => startedMs >= firstMs && status === 200);
    expect(signed, `${name}: signed without the chain`).to.deep.equal([]);
    const late = [
      ...untouched.filter(({ ms }) => ms > UNTOUCHED_MAX_MS),
      ...asking.filter(({ ms }) => ms > ANSWER_MAX_MS + busyMs),
    ];
    expectFigure(() => expect(late, `${name}: late answers`).to.deep.equal([]));
  }

  for (const fault of FAULTS)
    it(`games and sign-ins continue, and the rest recovers by itself: ${fault.name}`, async () => {
      const prepared = await prepareSnapshot();
      // A second score is pending, whose signature is requested during the fault.
      await addEndedSession(chain, { wallet: agent.address, slug: SLUG });
      const ticksBefore = player.state.ticks;
      await node.fail(...fault.params);
      const beganMs = performance.now();
      const { txHash } = await agent.wallet.sendCall(prepared.body.call);
      await agent.wallet.waitForReceipt(txHash);
      const probes = await probe(fault);
      await player.nextTick();
      const ticks = player.state.ticks - ticksBefore;
      await node.fail(null);
      printFigures({
        [fault.name]: `${FAULT_MS} ms`,
        "sign-ins and starts": formatProbes([...probes.list("sign-in"), ...probes.list("play")]),
        signatures: formatProbes(probes.list(SIGNED)),
        reads: formatProbes(probes.list("read")),
        "the player's ticks": ticks,
      });
      const back = waitUntilBack(prepared.sessionId);
      // If the check fails first, report that failure.
      back.catch(() => undefined);
      check(fault, probes, beganMs);
      printFigures({ [`${fault.name}, back after`]: `${(await back).toFixed(0)} ms` });
      expect(player.state.jumps, "frames that the player missed").to.equal(0);
      expect([...player.state.endings].filter((reason) => reason !== "lives_lost")).to.deep.equal([]);
      // The pending score is signed now, once.
      await sendPending();
    });

  /** Records every pending score on chain, so that the next fault begins without any. */
  async function sendPending(): Promise<void> {
    const { txHash } = await agent.wallet.sendCall((await signSnapshot()).call);
    await agent.wallet.waitForReceipt(txHash);
    const isCounted = async (): Promise<boolean> => {
      const bank = await post("/api/rewards/scorebank");
      return bank.status === 200 && bank.body.pending.length === 0;
    };
    await waitUntil("the score is counted", isCounted, SIGNED_WITHIN_MS);
  }
});
