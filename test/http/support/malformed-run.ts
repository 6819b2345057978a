/** Sends malformed requests to a suite while a player plays there, and reports every breach. */
import { Agent, type IncomingHttpHeaders, request as openRequest } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { getErrorCodes } from "../../../backend/http/openapi/error-codes.ts";
import { routes } from "../../../backend/http/routes/index.ts";
import type { Route } from "../../../backend/http/routing/route.ts";
import { ERRORS, type ErrorCode } from "../../../domain/errors.ts";
import { addEndedSession } from "../../../testing/ended-session.ts";
import { createAgent } from "../../../testing/player.ts";
import { startContinuousPlayer } from "../../helpers/continuous-player.ts";
import type { TestStack } from "../../helpers/suite.ts";
import { generateMalformedRequests, type RawRequest } from "./malformed-requests.ts";

const SLUG = "shellrunners";
const CONCURRENCY = 8;
const BATCH = 200;
/** Error codes from before a route is found. */
const ROUTELESS_CODES: readonly string[] = ["NOT_FOUND", "METHOD_NOT_ALLOWED", "BAD_REQUEST"];

interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Requests per address, well within the limit of five seconds. */
const REQUESTS_PER_ADDRESS = 20;

/** The address of the n-th client: all of 127.0.0.0/8 is loopback. */
const toVisitorAddress = (index: number): string => `127.20.${Math.floor(index / 250) % 250}.${1 + (index % 250)}`;

interface Sender {
  readonly agent: Agent;
  readonly baseUrl: string;
  readonly localAddress: string;
}

const send = (
  { agent, baseUrl, localAddress }: Sender,
  { method, path, headers, body }: RawRequest,
): Promise<RawResponse> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(baseUrl);
    const length = body === null ? {} : { "Content-Length": body.length };
    // Header values are sent as latin1. Bytes above 0x7f are intended.
    const sent = openRequest(
      { agent, hostname, port, localAddress, method, path, headers: { ...headers, ...length } },
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
  pattern: new RegExp(`^${route.path.replaceAll(/[.]/g, "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}/*$`, "i"),
}));

const findRoute = (method: string, path: string): Route | undefined =>
  patterns.find(({ route, pattern }) => route.method === method && pattern.test(path.split("?")[0]!))?.route;

function checkSuccess(route: Route | undefined, { headers, text }: RawResponse): string | null {
  if (route === undefined) return "a success of no route";
  if (!/json/.test(headers["content-type"] ?? "")) return null;
  const { ok, ...rest } = JSON.parse(text);
  if (!route.plain && ok !== true) return "a success without its envelope";
  const parsed = route.response.safeParse(route.plain ? JSON.parse(text) : rest);
  return parsed.success ? null : `a success outside the schema of ${route.name}`;
}

function checkProblem(route: Route | undefined, { status, headers, text }: RawResponse): string | null {
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
  const known = route === undefined ? ROUTELESS_CODES : [...ROUTELESS_CODES, ...getErrorCodes(route)];
  return known.includes(body.code) ? null : `${body.code}, which ${route?.name ?? "no route"} does not publish`;
}

/** What is wrong with an answer; null if the interface allows it. */
function checkResponse({ method, path }: RawRequest, response: RawResponse): string | null {
  const { status } = response;
  if (status >= 500) return `an answer of ${status}`;
  if (method === "HEAD") return response.text === "" ? null : "a HEAD with a body";
  if (method === "OPTIONS") return status === 204 ? null : "a preflight that is not 204";
  if (status === 304) return response.text === "" ? null : "a 304 with a body";
  const route = findRoute(method, path);
  return status < 300 ? checkSuccess(route, response) : checkProblem(route, response);
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function measureHeapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

export interface MalformedRequestsReport {
  /** One line for each breach, at most twenty. */
  readonly breaches: readonly string[];
  readonly statuses: { readonly [status: string]: number };
  readonly codes: { readonly [code: string]: number };
  readonly heapGrowthBytes: number;
  readonly player: {
    readonly ticks: number;
    /** Frames that did not follow the previous one. */
    readonly jumps: number;
    readonly games: number;
    readonly endings: readonly string[];
    readonly gapP99Ms: number;
  };
  readonly seconds: number;
}

/** Sends `count` requests of a seed over keep-alive connections. Compares the heap after a tenth and after all of them. */
export async function runMalformedRequests(
  stack: TestStack,
  seed: number,
  count: number,
): Promise<MalformedRequestsReport> {
  const caller = await createAgent(stack, "Scrambler");
  const rows = [await addEndedSession(stack, { wallet: caller.address, minScore: 10 })];
  const practice = await stack.request("POST", `/api/games/${SLUG}/sessions/start`, { body: { source: "browser_ws" } });
  const unmoved = await createAgent(stack, "Unmoved");
  const playing = await startContinuousPlayer(unmoved.client, SLUG);
  const context = {
    slug: SLUG,
    wallet: caller.address,
    sessionIds: [rows[0]!.sessionId, practice.body.sessionId as string, playing.state.sessionId],
    tokens: [await caller.getAccessToken(), await caller.getAccessToken(), practice.body.practiceToken as string],
  };
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  const breaches: string[] = [];
  const statuses: { [status: string]: number } = {};
  const codes: { [code: string]: number } = {};
  let sent = 0;

  async function sendAndCheck(request: RawRequest): Promise<void> {
    const addBreach = (error: string): void => {
      if (breaches.length < 20)
        breaches.push(`${error}: ${request.defect} ${request.method} ${request.path.slice(0, 160)}`);
    };
    try {
      const localAddress = toVisitorAddress(Math.floor(sent / REQUESTS_PER_ADDRESS));
      sent += 1;
      const response = await send({ agent, baseUrl: stack.httpUrl, localAddress }, request);
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      const code = /"code":"([A-Z_]+)"/.exec(response.status < 400 ? "" : response.text)?.[1];
      if (code !== undefined) codes[code] = (codes[code] ?? 0) + 1;
      const error = checkResponse(request, response);
      if (error !== null) addBreach(`${error} (${response.text.slice(0, 300)})`);
    } catch (error) {
      addBreach(`no answer, ${(error as Error).message}`);
    }
  }

  const startedMs = performance.now();
  const warmUp = Math.ceil(count / 10);
  let heapBefore: number | null = null;
  const requests = generateMalformedRequests(context, seed);
  for (let from = 0; from < count; from += BATCH) {
    if (heapBefore === null && from >= warmUp) heapBefore = measureHeapBytes();
    let left = Math.min(BATCH, count - from);
    const runWorker = async (): Promise<void> => {
      for (; left > 0; ) {
        left -= 1;
        await sendAndCheck(requests.next().value);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, runWorker));
  }
  const seconds = (performance.now() - startedMs) / 1000;
  agent.destroy();
  const heapGrowthBytes = measureHeapBytes() - (heapBefore ?? measureHeapBytes());
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
