/** From a request to an answer: token → limits → body and schema → identity → handler → envelope. */
import { randomUUID } from "node:crypto";
import type { Request, Response } from "express";
import { ArcadeError } from "../domain/errors.ts";
import type { Clock, IdempotencyStore, Limiter, Log, Metrics } from "../ports.ts";
import type { Services } from "../services/services.ts";
import { publicError, sendAnswer, sendProblem } from "./answer.ts";
import { parseBy, readJson } from "./body.ts";
import { identifyCaller, ipKey, takeLimits } from "./door.ts";
import { answerUnchanged } from "./etag.ts";
import { checkKey, once } from "./idempotency.ts";
import { type Caller, Reply, type Route } from "./route.ts";
import { emptyBody, sessionIdText } from "./schemas.ts";

export interface PipelinePorts {
  readonly services: Services;
  readonly limiter: Limiter;
  readonly idempotency: IdempotencyStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Pick<Metrics, "countRequest">;
  /** Tests and the local chain hold each answer against the route's published schema. */
  readonly checkResponses: boolean;
  /** The service is stopping: reading goes on to the end, nothing new begins. */
  readonly draining?: () => boolean;
}

export function requestIdOf(request: Request): string {
  const given = request.get("x-request-id");
  return given !== undefined && /^[A-Za-z0-9._-]{8,64}$/.test(given) ? given : randomUUID();
}

/** Unknown ids in a path are the 404 of their kind, whatever their form; old slugs become the canonical one. */
function resolveParams(request: Request, services: Services): Record<string, string> {
  const params: Record<string, string> = { ...(request.params as Record<string, string>) };
  if (params.slug !== undefined) params.slug = services.catalog.resolveSlug(params.slug);
  if (params.sessionId !== undefined) {
    const id = sessionIdText.safeParse(params.sessionId);
    if (!id.success) throw new ArcadeError("SESSION_NOT_FOUND", "Expected the id of a session (UUIDv7); this is none.");
    params.sessionId = id.data;
  }
  return params;
}

/** A request that a proxy forwarded, where proxies are not trusted, does not come from where it seems to. */
const peerOf = (request: Request) => ({
  address: request.ip ?? "unknown",
  forwarded:
    request.app.get("trust proxy") === false &&
    (request.get("x-forwarded-for") !== undefined || request.get("forwarded") !== undefined),
});

/** A body's `walletAddress` must be the token's wallet. */
function checkWallet(caller: Caller | null, body: unknown): void {
  const named = (body as { walletAddress?: unknown } | undefined)?.walletAddress;
  if (caller?.kind !== "wallet" || typeof named !== "string" || named === caller.wallet) return;
  throw new ArcadeError(
    "FORBIDDEN",
    `Expected walletAddress ${caller.wallet} (the token's wallet), received ${named}.`,
  );
}

function walletNamed(caller: Caller | null, body: unknown): string | null {
  if (caller !== null) return caller.kind === "wallet" ? caller.wallet : caller.tokenHash;
  const { walletAddress, message } = (body ?? {}) as { walletAddress?: unknown; message?: unknown };
  if (typeof walletAddress === "string") return walletAddress.toLowerCase();
  if (typeof message === "string") return /^0x[0-9a-f]{40}$/im.exec(message)?.[0].toLowerCase() ?? null;
  return null;
}

async function answer(
  route: Route,
  request: Request,
  response: Response,
  requestId: string,
  ports: PipelinePorts,
): Promise<Reply | object> {
  const { services, limiter } = ports;
  if (route.method === "POST" && ports.draining?.())
    throw new ArcadeError("SHUTTING_DOWN", "The service is stopping; try again in a few seconds.");
  const caller = await identifyCaller(route, request, services);
  const ip = ipKey(request.ip ?? "unknown");
  takeLimits(limiter, route.limits, "ip", ip, response);
  if (caller !== null) takeLimits(limiter, route.limits, "wallet", walletNamed(caller, null)!, response);

  const params = resolveParams(request, services);
  const query = route.query === undefined ? {} : parseBy(route.query, request.query, "query");
  const body =
    route.method === "GET" ? {} : parseBy(route.body ?? emptyBody, await readJson(request, response), "body");
  const named = caller === null ? walletNamed(null, body) : null;
  if (named !== null) takeLimits(limiter, route.limits, "wallet", named, response);
  checkWallet(caller, body);
  if (route.identity !== undefined && caller?.kind === "wallet") {
    await services.identity.requireIdentity(caller.wallet, route.identity === "fresh");
  }

  const idempotencyKey = route.creates ? checkKey(request.get("idempotency-key")) : null;
  const context = {
    params,
    query,
    body,
    caller,
    ip,
    peer: peerOf(request),
    requestId,
    idempotencyKey,
    accept: request.get("accept") ?? "",
  } as never;
  const run = (): Promise<Reply | object> => route.handle(context, services) as Promise<Reply | object>;
  if (idempotencyKey === null || route.remember === undefined) return run();

  let made: Reply | object | undefined;
  const outcome = await once(
    ports.idempotency,
    ports.clock,
    {
      caller: walletNamed(caller, body) ?? ip,
      route: `${route.name} ${request.path}`,
      key: idempotencyKey,
      body: { body, params },
    },
    async () => {
      made = await run();
      const reply = made instanceof Reply ? made : new Reply(200, made as Reply["body"]);
      return { status: reply.status, body: route.remember!(reply.body as object) };
    },
  );
  if (made !== undefined) return made;
  if (!("remembered" in outcome)) throw new Error("an idempotent request gave neither an answer nor a memory");
  const { status, body: stored } = outcome.remembered;
  return route.recall === undefined
    ? new Reply(status, stored as Reply["body"])
    : ((await route.recall(stored, context, services)) as object);
}

/** Routes that machines ask all the time; their lines would drown the others. */
const QUIET = new Set(["operations.healthz", "operations.readyz", "operations.metrics"]);

/** One line and one count for each answer. What was sent stays out: bodies and headers hold secrets. */
export function noteAnswer(
  facts: { readonly route: string; readonly method: string; readonly requestId: string; readonly startedMs: number },
  outcome: { readonly status: number; readonly code: string | null },
  ports: Pick<PipelinePorts, "clock" | "log" | "metrics">,
): void {
  const { route, method, requestId, startedMs } = facts;
  const ms = Math.max(0, ports.clock.monotonicMs() - startedMs);
  ports.metrics?.countRequest({ route, method, ...outcome, seconds: ms / 1000 });
  const line = { requestId, method, route, ...outcome, ms: Math.round(ms * 10) / 10 };
  if (QUIET.has(route)) ports.log.debug(line, "request");
  else ports.log.info(line, "request");
}

/** Answers one request of a route; never throws. */
export async function serve(route: Route, request: Request, response: Response, ports: PipelinePorts): Promise<void> {
  const requestId = requestIdOf(request);
  const facts = { route: route.name, method: route.method, requestId, startedMs: ports.clock.monotonicMs() };
  response.set("X-Request-Id", requestId);
  try {
    const given = await answer(route, request, response, requestId, ports);
    const reply = given instanceof Reply ? given : new Reply(200, given as Reply["body"]);
    if (ports.checkResponses && reply.status < 300 && typeof reply.body !== "string") route.response.parse(reply.body);
    const isUnchanged = answerUnchanged(route, reply, request, response);
    if (!isUnchanged) sendAnswer(response, requestId, reply);
    noteAnswer(facts, { status: isUnchanged ? 304 : reply.status, code: null }, ports);
  } catch (thrown) {
    const error = publicError(thrown);
    if (error.code === "INTERNAL")
      ports.log.error({ err: thrown, requestId, route: route.name }, "a request met a bug");
    response.removeHeader("ETag");
    sendProblem(response, requestId, error);
    noteAnswer(facts, { status: error.status, code: error.code }, ports);
  }
}
