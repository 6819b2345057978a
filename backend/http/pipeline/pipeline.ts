/** From a request to a response: token → limits → body and schema → identity → handler → envelope. */
import type { Request, Response } from "express";
import { ArcadeError, quoteReceived } from "../../../domain/errors.ts";
import { toIpKey } from "../../../domain/limits/address-keys.ts";
import type { ChainIndex } from "../../ports/chain.ts";
import type { IdempotencyStore } from "../../ports/store/idempotency.ts";
import type { RateLimiter } from "../../ports/system.ts";
import { getCallerKey, RequestLimits } from "../../rate-limits/request-limits.ts";
import { getClientAddress, type TrustProxy } from "../../requests/client-address.ts";
import { getRequestId } from "../../requests/request-id.ts";
import { createKeptKey, type KeptResponses } from "../kept/kept-responses.ts";
import { acceptsMarkdown } from "../kept/serve-kept.ts";
import { GzippedText } from "../responses/gzipped-text.ts";
import { type ResponseHead, setHead } from "../responses/headers.ts";
import { type RecordPorts, recordResponse } from "../responses/record-response.ts";
import { createPublicResponse, sendPrivate, sendProblem, sendPublic, toPublicError } from "../responses/response.ts";
import type { HandlerServices } from "../routing/handler-services.ts";
import { type Caller, HttpResponse, type Route } from "../routing/route.ts";
import { emptyBody } from "../schemas/requests.ts";
import { sessionIdText } from "../schemas/values.ts";
import type { Authenticator } from "./access.ts";
import { parseWithSchema, readJson } from "./body.ts";
import { BLOCK_HEADER, dependsOnChain, MIN_BLOCK_HEADER, reachBlock } from "./chain-block.ts";
import { parseIdempotencyKey, runIdempotent } from "./idempotency.ts";
import type { Players } from "./players.ts";

export interface PipelinePorts extends RecordPorts {
  readonly services: HandlerServices;
  readonly limiter: RateLimiter;
  readonly authenticator: Authenticator;
  readonly idempotency: IdempotencyStore;
  readonly kept: KeptResponses;
  readonly index: Pick<ChainIndex, "getStoredHead" | "waitForBlock">;
  /** The trusted proxies in front of the service, which pass on the client's address. */
  readonly trustProxy: TrustProxy;
  /** Checks each response against the route's published schema: in tests and on the local chain. */
  readonly checkResponses: boolean;
  /**
   * Runs a request's work with one limit on the total time it waits for the chain's node; absent: no limit. `ip`: key
   * of the caller's address.
   */
  readonly limitChainTime?: <T>(ip: string, work: () => Promise<T>) => Promise<T>;
  readonly players: Pick<Players, "has">;
  /** Reports that the caller is a player, who never gives way to others. Absent: nothing is shared. */
  readonly admitPlayer?: (request: Request) => void;
  /** True while the service is stopping: reads are still served, POST requests are rejected. */
  readonly draining?: () => boolean;
}

/** A malformed id gets the same 404 as an unknown one; an old spelling becomes the canonical slug. */
export function resolveParams(
  given: { readonly [name: string]: string },
  services: Pick<HandlerServices, "catalog">,
): Record<string, string> {
  const params: Record<string, string> = { ...given };
  if (params.slug !== undefined) params.slug = services.catalog.resolveSlug(params.slug);
  if (params.sessionId !== undefined) {
    const id = sessionIdText.safeParse(params.sessionId);
    if (!id.success)
      throw new ArcadeError(
        "SESSION_NOT_FOUND",
        `Expected the id of a session (UUIDv7), received ${quoteReceived(params.sessionId)}.`,
      );
    params.sessionId = id.data;
  }
  return params;
}

/** Headers that only proxies set. */
const PROXY_HEADERS = ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "forwarded", "via"];

/** `forwarded`: a proxy that is not trusted claims to have forwarded the request, so `address` may be the proxy's. */
const getPeer = (request: Request, trustProxy: TrustProxy) => ({
  address: getClientAddress(request, trustProxy),
  forwarded: trustProxy === 0 && PROXY_HEADERS.some((name) => request.get(name) !== undefined),
  token: /^Bearer (\S+)$/i.exec(request.get("authorization") ?? "")?.[1] ?? null,
});

/** A body's `walletAddress` must be the token's wallet, except on public routes, which take no token. */
function checkWallet({ access }: Route, caller: Caller | null, body: unknown): void {
  const namedWallet = (body as { walletAddress?: unknown } | undefined)?.walletAddress;
  if (access === "public" || typeof namedWallet !== "string") return;
  const ownWallet = caller?.kind === "wallet" ? caller.wallet : null;
  if (namedWallet === ownWallet) return;
  const expected =
    ownWallet === null
      ? "no walletAddress, because the request has no wallet's access token"
      : `walletAddress ${ownWallet} (the token's wallet)`;
  throw new ArcadeError("FORBIDDEN", `Expected ${expected}, received ${namedWallet}.`);
}

type RouteContext = Parameters<Route["handle"]>[0];
type PickedServices = Parameters<Route["handle"]>[1];

const toHttpResponse = (result: unknown): HttpResponse =>
  result instanceof HttpResponse ? result : new HttpResponse(200, result as HttpResponse["body"]);

export const pickServices = (route: Route, services: HandlerServices): PickedServices =>
  Object.fromEntries(route.services.map((name) => [name, services[name]])) as unknown as PickedServices;

/** The head of a response, which grows while its request is handled. */
interface GrowingHead extends ResponseHead {
  readonly headers: string[];
}

/** Checks token, limits, schemas and identity, in the order that the interface documents. */
async function createContext(
  route: Route,
  request: Request,
  response: Response,
  { requestId, headers }: GrowingHead,
  { services, limiter, authenticator, index, trustProxy, players, admitPlayer }: PipelinePorts,
): Promise<RouteContext> {
  const ip = toIpKey(getClientAddress(request, trustProxy));
  const caller = await authenticator.authenticate(route, request, ip);
  const limits = new RequestLimits(limiter, route, { ip, caller, headers });
  await limits.takeBeforeBody();
  if (limiter.enabled && caller?.kind === "wallet" && (await players.has(caller.wallet))) admitPlayer?.(request);

  const params = resolveParams(request.params as Record<string, string>, services);
  const query = route.query === undefined ? {} : parseWithSchema(route.query, request.query, "query");
  const readBody = () => readJson(request, response, route.bodyBytes);
  const body = route.method === "GET" ? {} : parseWithSchema(route.body ?? emptyBody, await readBody(), "body");
  await limits.takeAfterBody(body);
  checkWallet(route, caller, body);
  if (dependsOnChain(route)) {
    const block = await reachBlock(request.get(MIN_BLOCK_HEADER), index);
    if (block !== null) headers.push(BLOCK_HEADER, String(block));
  }
  if (route.identity !== undefined && caller?.kind === "wallet") {
    await services.identity.requireIdentity(caller.wallet);
  }
  await limits.takeOfAll();
  return {
    params,
    query,
    body,
    // The route's access determines whether this is null.
    caller: caller as RouteContext["caller"],
    ip,
    // Few handlers use it.
    get peer() {
      return getPeer(request, trustProxy);
    },
    requestId,
    idempotencyKey: route.idempotent ? parseIdempotencyKey(request.get("idempotency-key")) : null,
    isMarkdownAccepted: acceptsMarkdown(request),
  };
}

/** Runs the handler, once for each `Idempotency-Key` if the route accepts one. */
async function runHandler(
  route: Route,
  path: string,
  context: RouteContext,
  ports: PipelinePorts,
): Promise<HttpResponse> {
  const services = pickServices(route, ports.services);
  const { caller, body, params, ip, idempotencyKey: key } = context;
  if (key === null) return toHttpResponse(await route.handle(context, services));

  let executed: HttpResponse | null = null;
  const claim = {
    caller: getCallerKey(caller, body) ?? ip,
    route: `${route.name} ${path}`,
    key,
    body: { body, params },
  };
  const outcome = await runIdempotent(ports.idempotency, ports.clock, claim, async () => {
    executed = toHttpResponse(await route.handle(context, services));
    const responseBody = executed.body as object;
    return { status: executed.status, body: route.replay?.toStored(responseBody) ?? responseBody };
  });
  if (outcome === "executed") return executed!;
  const { status, body: stored } = outcome.stored;
  return route.replay === undefined
    ? new HttpResponse(status, stored as HttpResponse["body"])
    : toHttpResponse(await route.replay.fromStored(stored, context, services));
}

/** The context without its caller, for handlers whose response is kept for all callers. */
const hideCaller = (context: RouteContext): RouteContext => ({
  ...context,
  ip: "",
  peer: { address: "", forwarded: false, token: null },
  requestId: "",
});

/** Sends the response of a route, and returns its status. */
async function respond(
  route: Route,
  request: Request,
  response: Response,
  head: GrowingHead,
  ports: PipelinePorts,
): Promise<number> {
  const context = await createContext(route, request, response, head, ports);
  const run = async (givenContext: RouteContext): Promise<HttpResponse> => {
    const httpResponse = await runHandler(route, request.path, givenContext, ports);
    const { status, body } = httpResponse;
    const isText = typeof body === "string" || Buffer.isBuffer(body) || body instanceof GzippedText;
    if (ports.checkResponses && status < 300 && !isText) route.response.parse(body);
    return httpResponse;
  };
  if (route.kept !== undefined) {
    const key = createKeptKey(request.url, context.isMarkdownAccepted);
    const kept = await ports.kept.findOrMake(key, route, () => run(hideCaller(context)));
    return await sendPublic(request, response, kept, head);
  }
  const httpResponse = await run(context);
  if (route.method === "GET" && route.access === "public" && httpResponse.status === 200)
    return await sendPublic(request, response, createPublicResponse(httpResponse), head);
  await sendPrivate(request, response, httpResponse, head);
  return httpResponse.status;
}

/** Handles one request of a route; never throws. */
export async function handleRequest(
  route: Route,
  request: Request,
  response: Response,
  ports: PipelinePorts,
): Promise<void> {
  const requestId = getRequestId(request);
  const requestInfo = { route: route.name, method: route.method, requestId, startedMs: ports.clock.monotonicMs() };
  const head: GrowingHead = { requestId, headers: [] };
  try {
    // The operator must still be able to end draining.
    if (route.method === "POST" && route.access !== "admin" && ports.draining?.())
      throw new ArcadeError("SHUTTING_DOWN", "The service is stopping; try again in a few seconds.");
    const work = () => respond(route, request, response, head, ports);
    const ip = toIpKey(getClientAddress(request, ports.trustProxy));
    const status = await (ports.limitChainTime === undefined ? work() : ports.limitChainTime(ip, work));
    recordResponse(requestInfo, { status, code: null }, ports);
  } catch (thrown) {
    const error = toPublicError(thrown);
    if (error.code === "INTERNAL")
      ports.log.error({ err: thrown, requestId, route: route.name }, "a request failed with an unexpected error");
    setHead(response, head);
    ports.services.errorLog.add(requestInfo, error);
    sendProblem(response, requestId, error);
    recordResponse(requestInfo, { status: error.status, code: error.code }, ports);
  }
}
