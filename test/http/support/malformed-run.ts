/** Sends malformed requests to a suite while somebody plays there, and tells everything that should not have happened. */
import { Agent, type IncomingHttpHeaders, request as openRequest } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ERRORS, type ErrorCode } from "../../../backend/domain/errors.ts";
import { findGame } from "../../../backend/games/index.ts";
import { codesOf } from "../../../backend/http/openapi-codes.ts";
import type { Route } from "../../../backend/http/route.ts";
import { routes } from "../../../backend/http/routes/index.ts";
import { playSession } from "../../../client/index.ts";
import { makeAgent } from "../../helpers/player.ts";
import type { Suite } from "../../helpers/suite.ts";
import { malformedRequests, type RawRequest } from "./malformed-requests.ts";
import { plantSession } from "./plant-session.ts";

const SLUG = "shellrunners";
const CONCURRENCY = 8;
const BATCH = 200;
/** Codes that come before any route is known. */
const OUTSIDE: readonly string[] = ["NOT_FOUND", "METHOD_NOT_ALLOWED", "BAD_REQUEST"];

interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const send = (agent: Agent, baseUrl: string, { method, path, headers, body }: RawRequest): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(baseUrl);
    const length = body === null ? {} : { "Content-Length": body.length };
    // Header values go out as latin1; a byte above 0x7f is part of what is tried.
    const sent = openRequest(
      { agent, hostname, port, method, path, headers: { ...headers, ...length } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode!, headers: response.headers, text });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body ?? undefined);
  });

const patterns = routes.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replaceAll(/[.]/g, "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}/?$`, "i"),
}));

const routeAt = (method: string, path: string): Route | undefined =>
  patterns.find(({ route, pattern }) => route.method === method && pattern.test(path.split("?")[0]!))?.route;

function faultOfSuccess(route: Route | undefined, { headers, text }: RawAnswer): string | null {
  if (route === undefined) return "a success of no route";
  if (!/json/.test(headers["content-type"] ?? "")) return null;
  const { ok, requestId, ...rest } = JSON.parse(text);
  if (!route.plain && (ok !== true || requestId !== headers["x-request-id"])) return "a success without its envelope";
  const parsed = route.response.safeParse(route.plain ? JSON.parse(text) : rest);
  return parsed.success ? null : `a success outside the schema of ${route.name}`;
}

function faultOfProblem(route: Route | undefined, { status, headers, text }: RawAnswer): string | null {
  if (!/^application\/problem\+json/.test(headers["content-type"] ?? ""))
    return "a failure that is no problem document";
  const body = JSON.parse(text);
  const row = ERRORS[body.code as ErrorCode] as (typeof ERRORS)[ErrorCode] | undefined;
  if (row === undefined || row.status !== status || body.status !== status || body.retryable !== row.retryable)
    return "a failure that is not in the table";
  if (
    body.ok !== false ||
    body.requestId !== headers["x-request-id"] ||
    body.detail !== body.error ||
    "details" in body
  )
    return "a failure outside the flat envelope";
  const known = route === undefined ? OUTSIDE : [...OUTSIDE, ...codesOf(route)];
  return known.includes(body.code) ? null : `${body.code}, which ${route?.name ?? "no route"} does not publish`;
}

/** What is wrong with an answer; null where it is one that the interface allows. */
export function faultOf({ method, path }: RawRequest, answer: RawAnswer): string | null {
  const { status } = answer;
  if (status >= 500) return `an answer of ${status}`;
  if (method === "HEAD") return answer.text === "" ? null : "a HEAD with a body";
  if (method === "OPTIONS") return status === 204 ? null : "a preflight that is not 204";
  if (status === 304) return answer.text === "" ? null : "a 304 with a body";
  const route = routeAt(method, path);
  return status < 300 ? faultOfSuccess(route, answer) : faultOfProblem(route, answer);
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes that are in use after everything unused is gone. */
function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Somebody who plays, game after game, until told to stop. */
async function startPlaying(suite: Suite) {
  const player = await makeAgent(suite, "Unmoved");
  const leaving = new AbortController();
  const state = { ticks: 0, jumps: 0, games: 0, sessionId: "", gapsMs: [] as number[], endings: new Set<string>() };
  let waiting: (() => void) | null = null;
  const run = (async () => {
    while (!leaving.signal.aborted) {
      const session = await player.client.sessions.start({ slug: SLUG, source: "agent_api", forfeitPending: true });
      state.sessionId = session.sessionId;
      state.games += 1;
      let lastTick: number | null = null;
      let lastMs = performance.now();
      const end = await playSession({
        client: player.client,
        session,
        bot: findGame(SLUG)!.bots.reference(),
        giveUpAfterMs: 0,

        signal: leaving.signal,
        onFrame: ({ tick }) => {
          if (lastTick !== null && tick > lastTick + 1) state.jumps += 1;
          const nowMs = performance.now();
          if (lastTick !== null) state.gapsMs.push(nowMs - lastMs);
          lastTick = tick;
          lastMs = nowMs;
          state.ticks += 1;
          waiting?.();
        },
      });
      state.endings.add(end.endReason);
    }
  })().catch((fault: unknown) => {
    if (!leaving.signal.aborted) throw fault;
  });
  const nextTick = (): Promise<void> =>
    Promise.race([
      run.then(() => Promise.reject(new Error("the player's game stopped"))),
      new Promise<void>((resolve) => {
        waiting = resolve;
      }),
    ]);
  await nextTick();
  return {
    state,
    nextTick,
    stop: async () => {
      leaving.abort(new Error("enough"));
      await run;
    },
  };
}

export interface MalformedRun {
  /** One line for each breach, at most twenty. */
  readonly breaches: readonly string[];
  readonly statuses: { readonly [status: string]: number };
  readonly codes: { readonly [code: string]: number };
  readonly heapGrowthBytes: number;
  readonly player: {
    readonly ticks: number;
    /** Frames that did not follow the one before. */
    readonly jumps: number;
    readonly games: number;
    readonly endings: readonly string[];
    readonly gapP99Ms: number;
  };
  readonly seconds: number;
}

/** Sends `count` requests of a seed over keep-alive connections. The heap is compared after the first tenth and after all. */
export async function runMalformed(suite: Suite, seed: number, count: number): Promise<MalformedRun> {
  const caller = await makeAgent(suite, "Scrambler");
  const rows = [await plantSession(suite, { wallet: caller.address, minScore: 10 })];
  const practice = await suite.request("POST", `/api/games/${SLUG}/sessions/start`, { body: { source: "browser_ws" } });
  const playing = await startPlaying(suite);
  const around = {
    slug: SLUG,
    wallet: caller.address,
    sessionIds: [rows[0]!.sessionId, practice.body.sessionId as string, playing.state.sessionId],
    tokens: [await caller.token(), await caller.token(), practice.body.practiceToken as string],
  };
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  const breaches: string[] = [];
  const statuses: { [status: string]: number } = {};
  const codes: { [code: string]: number } = {};

  async function attempt(request: RawRequest): Promise<void> {
    const tell = (fault: string): void => {
      if (breaches.length < 20)
        breaches.push(`${fault}: ${request.fault} ${request.method} ${request.path.slice(0, 160)}`);
    };
    try {
      const answer = await send(agent, suite.httpUrl, request);
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      const code = /"code":"([A-Z_]+)"/.exec(answer.status < 400 ? "" : answer.text)?.[1];
      if (code !== undefined) codes[code] = (codes[code] ?? 0) + 1;
      const fault = faultOf(request, answer);
      if (fault !== null) tell(`${fault} (${answer.text.slice(0, 300)})`);
    } catch (error) {
      tell(`no answer, ${(error as Error).message}`);
    }
  }

  const startedMs = performance.now();
  const warmUp = Math.ceil(count / 10);
  let heapBefore: number | null = null;
  const requests = malformedRequests(around, seed);
  for (let sent = 0; sent < count; sent += BATCH) {
    if (heapBefore === null && sent >= warmUp) heapBefore = heapBytes();
    let left = Math.min(BATCH, count - sent);
    const work = async (): Promise<void> => {
      for (; left > 0; ) {
        left -= 1;
        await attempt(requests.next().value);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  }
  const seconds = (performance.now() - startedMs) / 1000;
  agent.destroy();
  const heapGrowthBytes = heapBytes() - (heapBefore ?? heapBytes());
  const { state } = playing;
  await playing.nextTick();
  await playing.stop();
  const gaps = state.gapsMs.sort((a, b) => a - b);
  return {
    breaches,
    statuses,
    codes,
    heapGrowthBytes,
    player: {
      ticks: state.ticks,
      jumps: state.jumps,
      games: state.games,
      endings: [...state.endings],
      gapP99Ms: gaps[Math.floor(gaps.length * 0.99)] ?? 0,
    },
    seconds,
  };
}
