/** Public reads of the service's own pages, without a connection: the response that a client would get. */
import { ArcadeError } from "../../../domain/errors.ts";
import { LIMITS } from "../../../domain/limits/limits.ts";
import { createProblem } from "../../../domain/problem.ts";
import { GzippedText } from "../responses/gzipped-text.ts";
import type { HandlerServices } from "../routing/handler-services.ts";
import { HttpResponse, type Route } from "../routing/route.ts";
import { RouteTable } from "../routing/route-table.ts";
import { parseWithSchema } from "./body.ts";
import { pickServices, resolveParams } from "./pipeline.ts";

export type LocalFetch = (url: string, init: RequestInit) => Promise<Response>;

/** Parsing takes milliseconds of the thread that makes the ticks: browsers read anything larger themselves. */
const COMPRESSED_MAX_BYTES = 256 * 1024;

async function readSmall(text: GzippedText): Promise<string> {
  if (text.compressedBytes <= COMPRESSED_MAX_BYTES) return String(await text.encode(null));
  throw new ArcadeError("BODY_TOO_LARGE", `Expected at most ${COMPRESSED_MAX_BYTES} compressed bytes for a page.`);
}

/** `fetch` for paths of public routes. Every failure is a problem document. */
export function createLocalFetch(routes: readonly Route[], services: HandlerServices): LocalFetch {
  const table = new RouteTable(
    routes.filter(({ access, limits }) => access === "public" && limits === LIMITS.publicRead),
  );
  const read = async (url: string, { method = "GET", body }: RequestInit): Promise<HttpResponse> => {
    const found = table.find(method, url);
    if (found === null) throw new ArcadeError("NOT_FOUND", `Expected a public read, received ${method} ${url}.`);
    const { route } = found;
    const { searchParams } = new URL(url, "http://localhost");
    const context = {
      params: resolveParams(found.params, services),
      query: route.query === undefined ? {} : parseWithSchema(route.query, Object.fromEntries(searchParams), "query"),
      body: route.body === undefined ? {} : parseWithSchema(route.body, JSON.parse(String(body ?? "{}")), "body"),
      caller: null,
      ip: "",
      peer: { address: "", forwarded: false, token: null },
      requestId: "",
      idempotencyKey: null,
      isMarkdownAccepted: false,
    } as unknown as Parameters<Route["handle"]>[0];
    const result = await route.handle(context, pickServices(route, services));
    return result instanceof HttpResponse ? result : new HttpResponse(200, { ok: true, ...(result as object) });
  };
  return async (url, init) => {
    try {
      const { status, body } = await read(url, init);
      if (body instanceof GzippedText) return new Response(await readSmall(body), { status });
      return new Response(typeof body === "string" ? body : JSON.stringify(body), { status });
    } catch (error) {
      if (!(error instanceof ArcadeError)) throw error;
      const problem = createProblem(error, "");
      return new Response(JSON.stringify(problem.body), { status: problem.status });
    }
  };
}
