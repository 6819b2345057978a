/**
 * `defineRoute`: one endpoint as data (who may call, limits, schemas, errors) and its handler. The pipeline, OpenAPI,
 * the instructions and the authorization test all read these definitions.
 */
import type { z } from "zod";
import type { ErrorCode } from "../domain/errors.ts";
import type { Address } from "../ports.ts";
import type { Services } from "../services/services.ts";

/**
 * public: no token; optional: a token is checked when there is one; wallet: an access token; player: the access token
 * of the session's wallet, or the practice token that an anonymous start returned.
 */
export type Access = "public" | "optional" | "wallet" | "player";

export type Caller =
  | { readonly kind: "wallet"; readonly wallet: Address; readonly slug: string; readonly accessExpiresAtMs: number }
  | { readonly kind: "practice"; readonly tokenHash: string };

export interface LimitPolicy {
  /** Names the bucket: routes with the same name share it. */
  readonly name: string;
  readonly by: "ip" | "wallet";
  readonly limit: number;
  readonly windowSeconds: number;
}

export interface Context<Params, Query, Body, Who extends Access> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Never null where the route asks for a token. */
  readonly caller: Who extends "public"
    ? null
    : Who extends "optional"
      ? Caller | null
      : Who extends "wallet"
        ? Extract<Caller, { kind: "wallet" }>
        : Caller;
  readonly ip: string;
  /** The other end of the connection, for what only the operator's own machines may see. */
  readonly peer: { readonly address: string; readonly forwarded: boolean };
  readonly requestId: string;
  readonly idempotencyKey: string | null;
  readonly accept: string;
}

/** What a handler may return for a response schema: services hand out readonly views. */
export type Readable<T> = T extends readonly (infer Item)[]
  ? readonly Readable<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Readable<T[Key]> }
    : T;

/** An answer that is not a 200 envelope. */
export class Reply {
  readonly status: number;
  readonly body: { readonly [field: string]: unknown } | string;
  readonly headers: { readonly [name: string]: string };

  constructor(status: number, body: Reply["body"], headers: Reply["headers"] = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

export interface RouteDefinition<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
  Who extends Access = Access,
> {
  /** `namespace.verb`, unique: the name of the client's method too. */
  readonly name: string;
  readonly method: "GET" | "POST";
  /** With `{name}` for parameters, as the interface writes it. */
  readonly path: string;
  readonly summary: string;
  readonly access: Who;
  /** The caller's wallet must hold its agent identity (read on chain; `fresh`: never from the cache). */
  readonly identity?: "cached" | "fresh";
  readonly limits: readonly LimitPolicy[];
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly response: Response;
  /** Codes of this route beyond those of the door. */
  readonly errors: readonly ErrorCode[];
  /** Accepts `Idempotency-Key`; `remember` picks what is stored of an answer (never a token). */
  readonly creates?: true;
  readonly remember?: (answer: object) => object;
  /** Makes the answer of a repeat from what was stored; absent: the stored answer itself. */
  readonly recall?: (
    stored: object,
    context: Context<z.output<Params>, z.output<Query>, z.output<Body>, Who>,
    services: Services,
  ) => Promise<Readable<z.input<Response>> | Reply>;
  /** A plain document outside the envelope. */
  readonly plain?: true;
  /** A body for the documents, where one made from the schema would not do. */
  readonly exampleBody?: object;
  /** Content type of a plain document that is not JSON. */
  readonly media?: string;
  /** Statuses of a success; 200 alone where absent. */
  readonly statuses?: readonly number[];
  /** Exists on chain 31337 alone. */
  readonly localOnly?: true;
  handle(
    context: Context<z.output<Params>, z.output<Query>, z.output<Body>, Who>,
    services: Services,
  ): Promise<Readable<z.input<Response>> | Reply>;
}

export type Route = RouteDefinition;

/** Checks nothing at run time: it only gives the handler its types. */
export function defineRoute<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Response extends z.ZodType,
  const Who extends Access,
>(definition: RouteDefinition<Params, Query, Body, Response, Who>): Route {
  return definition as unknown as Route;
}
