/** One attack of guests on a service, beside a player that signs in, plays and puts its scores on chain. */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createClient, playSession, snapshotScore } from "../../../client/index.ts";
import { findGame } from "../../../games/index.ts";
import { findFreePort } from "../../../scripts/fleet/free-port.ts";
import { type RunningProgram, startShippedBalancer } from "../../../test/helpers/in-between.ts";
import { sendRequest, type TestStack } from "../../../test/helpers/suite.ts";
import { createHttpMcpClient } from "../../../test/mcp/mcp-client.ts";
import { createAgent, type Player } from "../../../testing/player.ts";
import { createFaultEnvironment } from "../../injected/inject.ts";
import type { AdmissionServer } from "./admission-server.ts";
import { scaleCount, sleep, waitUntil } from "./drill.ts";
import { planGuests } from "./guests.ts";

const SLUG = "shellrunners";
/** Within a wallet's limit of ten a minute. */
const ROUND_MS = 6_500;
const ROUNDS = Math.max(2, scaleCount(5));
const RAMP_MS = 60_000;
/** The share of places that counts as all, since guests come and go. */
const FULL = 0.98;
/** How long connections that stopped reading may keep places: 20 s, and the time between two checks. */
const STALLED_MS = 25_000;

/** What may never happen. */
export type Problem = "player refused" | "player's connection closed" | "player's call refused" | "places kept";

export interface AttackOptions {
  readonly isProxied: boolean;
  readonly faults: readonly string[];
  /** The attack ends when this problem occurs. */
  readonly until?: Problem;
}

export interface AttackResult {
  readonly problems: ReadonlyMap<Problem, string>;
  /** The share of samples in which all places were taken. */
  readonly fullShare: number;
  readonly figures: { readonly [name: string]: number | string };
}

const getPath = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Sends a player's requests over one connection, and detects when it was replaced. */
class PlayerConnection {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #isFirst = true;

  /** Returns the problem, or null. */
  async send(url: string, token: string): Promise<string | null> {
    const request = get(url, { agent: this.#agent, headers: { Authorization: `Bearer ${token}` } });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    const body = await text(response);
    const isKept = this.#isFirst || request.reusedSocket;
    this.#isFirst = false;
    if (response.statusCode !== 200) return `${response.statusCode} ${body}`;
    return isKept ? null : "a request needed another connection";
  }

  close(): void {
    this.#agent.destroy();
  }
}

class Attack {
  readonly #problems = new Map<Problem, string>();
  readonly #options: AttackOptions;
  readonly #children: ChildProcess[] = [];
  readonly #connection = new PlayerConnection();
  #balancer: RunningProgram | null = null;
  #server: ChildProcess | null = null;
  #isOver = false;
  #looks = 0;
  #fullLooks = 0;
  #slowestMs = 0;

  constructor(options: AttackOptions) {
    this.#options = options;
  }

  async run(): Promise<AttackResult> {
    const { httpUrl: backendUrl, rpcUrl, inAll, url } = await this.#start();
    const request: TestStack["request"] = (method, path, options) => sendRequest(url, method, path, options);
    const player = await createAgent({ httpUrl: url, chain: { rpcUrl }, request } as TestStack);
    const token = await player.getAccessToken();
    const plan = planGuests(url, this.#options.isProxied ? backendUrl : null);
    const guests = spawn("python3", [getPath("hoarders.py"), JSON.stringify(plan)], {
      stdio: ["pipe", "ignore", "inherit"],
    });
    this.#children.push(guests);
    await waitUntil("all places are taken", async () => (await this.#countPlaces()) >= inAll, RAMP_MS);
    const watches = [this.#watchPlaces(inAll), this.#watchConnection(url, token)];
    for (let round = 0; round < ROUNDS && !this.#isDone(); round += 1) await this.#playRound(player, url);
    this.#isOver = true;
    await Promise.all(watches);
    const drainedMs = this.#isDone() ? 0 : await this.#drain(guests, inAll);
    return {
      problems: this.#problems,
      fullShare: this.#fullLooks / this.#looks,
      figures: {
        places: inAll,
        "full at": `${this.#fullLooks} of ${this.#looks} looks`,
        rounds: ROUNDS,
        "slowest round": `${Math.round(this.#slowestMs)} ms`,
        "given back in": `${Math.round(drainedMs)} ms`,
      },
    };
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#connection.close();
    const ended = this.#children.map((child) => child.exitCode ?? child.signalCode ?? once(child, "exit"));
    for (const child of this.#children) child.kill("SIGKILL");
    await Promise.all(ended);
    await this.#balancer?.stop();
  }

  /** Keeps the first problem of each kind: it may cause others. */
  #add(problem: Problem, message: string): void {
    if (!this.#problems.has(problem)) this.#problems.set(problem, message);
  }

  #isDone(): boolean {
    const { until } = this.#options;
    return until !== undefined && this.#problems.has(until);
  }

  async #start(): Promise<AdmissionServer & { readonly url: string }> {
    const { isProxied, faults } = this.#options;
    const port = await findFreePort();
    if (isProxied) this.#balancer = await startShippedBalancer([port]);
    const url = `http://127.0.0.1:${this.#balancer?.port ?? port}`;
    const proxied = { ARCADE_TRUST_PROXY: String(isProxied), ARCADE_PUBLIC_URL: url };
    const environment = { ARCADE_PORT: String(port), ...(isProxied && proxied) };
    this.#server = fork(getPath("admission-server.ts"), [], {
      env: {
        ...process.env,
        ...(faults.length > 0 && createFaultEnvironment(faults)),
        ADMISSION_ENVIRONMENT: JSON.stringify(environment),
      },
    });
    this.#children.push(this.#server);
    const [started] = (await once(this.#server, "message")) as [AdmissionServer];
    await waitUntil("the service answers", () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    return { ...started, url };
  }

  async #countPlaces(): Promise<number> {
    this.#server!.send("count");
    return (await once(this.#server!, "message"))[0] as number;
  }

  async #watchPlaces(inAll: number): Promise<void> {
    while (!this.#isOver) {
      this.#looks += 1;
      if ((await this.#countPlaces()) >= inAll * FULL) this.#fullLooks += 1;
      await sleep(250);
    }
  }

  async #watchConnection(url: string, token: string): Promise<void> {
    while (!this.#isOver) {
      const problem = await this.#connection.send(`${url}/api/games/${SLUG}/auth/session`, token).catch(String);
      if (problem !== null) this.#add("player's connection closed", problem);
      await sleep(1_000);
    }
  }

  /** A rejected request is not repeated. */
  async #playRound({ wallet }: Player, url: string): Promise<void> {
    const startedMs = performance.now();
    try {
      const client = createClient({ baseUrl: url, wallet, retry: { retries: 0 } });
      const session = await client.sessions.start({ slug: SLUG, source: "agent_api", forfeitPending: true });
      const { sessionId } = session;
      let left: Promise<unknown> | null = null;
      const bot = findGame(SLUG)!.bots.quick!();
      const onFrame = ({ score }: { readonly score: { readonly current: number } }): void => {
        if (score.current === 0 || left !== null) return;
        left = client.sessions.end({ slug: SLUG, sessionId });
        // It counts below, once the session has ended.
        left.catch(() => undefined);
      };
      await playSession({ client, session, bot, onFrame, reconnectTimeoutMs: 0 });
      await left;
      await snapshotScore({ client, sessionId });
      this.#slowestMs = Math.max(this.#slowestMs, performance.now() - startedMs);
      const token = await client.signIn.accessToken();
      const mcp = createHttpMcpClient(url, () => token);
      const { isError, body } = await mcp.call("simulate", { slug: SLUG, policy: "() => null", seeds: 1 });
      if (isError) this.#add("player's call refused", JSON.stringify(body));
    } catch (error) {
      this.#add("player refused", String(error));
    }
    await sleep(Math.max(0, ROUND_MS - (performance.now() - startedMs)));
  }

  /** The guests keep their connections and do nothing else. */
  async #drain(guests: ChildProcess, inAll: number): Promise<number> {
    guests.kill("SIGSTOP");
    const startedMs = performance.now();
    const isDrained = async (): Promise<boolean> => (await this.#countPlaces()) < inAll / 5;
    await waitUntil("places are given back", isDrained, STALLED_MS).catch(async () => {
      this.#add("places kept", `${await this.#countPlaces()} of ${inAll} places after ${STALLED_MS} ms`);
    });
    return performance.now() - startedMs;
  }
}

export async function runAttack(options: AttackOptions): Promise<AttackResult> {
  const attack = new Attack(options);
  try {
    return await attack.run();
  } finally {
    await attack.close();
  }
}
