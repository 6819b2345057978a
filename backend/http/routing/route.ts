/**
 * `defineRoute`: one endpoint as data (access, limits, schemas, example, errors) and its handler. The pipeline,
 * OpenAPI, the instructions, the client's types and the authorization test all read these definitions.
 */

import type { Address } from "viem";
import type { z } from "zod";
import type { ErrorCode } from "../../../domain/errors.ts";
import type { LimitPolicy } from "../../../domain/limits/limits.ts";
import type { Fact } from "../../ports/versions.ts";
import type { GzippedText } from "../responses/gzipped-text.ts";
import type { DeepReadonly } from "../schemas/types.ts";
import type { HandlerServices } from "./handler-services.ts";

/**
 * public: no token; optional: a token is checked when there is one; wallet: an access token; player: the access token
 * of the session's wallet, or the practice token that an anonymous start returned; admin: the operator's token.
 */
export type Access = "public" | "optional" | "wallet" | "player" | "admin";

export type Caller =
  | {
      readonly kind: "wallet";
      readonly wallet: Address;
      /** The sign-in that the token belongs to. */
      readonly familyId: string;
      readonly slug: string;
      readonly accessExpiresAtMs: number;
    }
  | { readonly kind: "practice"; readonly tokenHash: string }
  | { readonly kind: "admin" };

export interface Context<Params, Query, Body, Who extends Access> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Never null if the route needs a token. */
  readonly caller: Who extends "public"
    ? null
    : Who extends "optional"
      ? Exclude<Caller, { kind: "admin" }> | null
      : Who extends "wallet"
        ? Extract<Caller, { kind: "wallet" }>
        : Who extends "admin"
          ? Extract<Caller, { kind: "admin" }>
          : Exclude<Caller, { kind: "admin" }>;
  readonly ip: string;
  /** The other end of the connection, for content that only the operator's own machines may read. */
  readonly peer: { readonly address: string; readonly forwarded: boolean; readonly token: string | null };
  readonly requestId: string;
  readonly idempotencyKey: string | null;
  readonly isMarkdownAccepted: boolean;
}

/** A response that is not a 200 envelope. */
export class HttpResponse {
  readonly status: number;
  readonly body: { readonly [field: string]: unknown } | string | Buffer | GzippedText;
  readonly headers: { readonly [name: string]: string };

  constructor(status: number, body: HttpResponse["body"], headers: HttpResponse["headers"] = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** A sample request and response, without the envelope. A test parses both with the route's schemas. */
export interface RouteExample<Body extends z.ZodType, Response extends z.ZodType> {
  /** The JSON body; absent if the route takes none or an empty one. */
  readonly request?: DeepReadonly<z.input<Body>>;
  readonly response: DeepReadonly<z.input<Response>>;
}

type ServiceName = keyof HandlerServices;

export interface RouteDefinition<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
  Who extends Access = Access,
  Name extends string = string,
  Uses extends ServiceName = ServiceName,
> {
  /** `namespace.method`, unique; also the name of the client's method. */
  readonly name: Name;
  readonly method: "GET" | "POST";
  /** With `{name}` for parameters, as in the interface's documents. */
  readonly path: string;
  readonly summary: string;
  readonly access: Who;
  /** The caller's wallet must hold its agent identity, according to the indexer. */
  readonly identity?: "required";
  readonly limits: readonly LimitPolicy[];
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** The maximum body size in bytes; 16 kB if left out. */
  readonly bodyBytes?: number;
  readonly response: Response;
  readonly example: RouteExample<Body, Response>;
  /** Other requests whose response has another form, by name. */
  readonly otherExamples?: { readonly [name: string]: RouteExample<Body, Response> };
  /** Codes of this route besides those that follow from its access, path, schemas and limits (`error-codes.ts`). */
  readonly errors?: readonly ErrorCode[];
  /**
   * Accepts `Idempotency-Key`: a repeat with the same body gets the response of the first request. Without `replay` the
   * response itself is stored.
   */
  readonly idempotent?: true;
  /** For an idempotent route whose response contains a token: what is stored of it, and how a repeat is answered. */
  readonly replay?: {
    toStored(response: object): object;
    fromStored(
      stored: object,
      context: Context<z.output<Params>, z.output<Query>, z.output<Body>, Who>,
      services: Pick<HandlerServices, Uses>,
    ): Promise<DeepReadonly<z.input<Response>> | HttpResponse>;
  };
  /** False: a repeat after a lost response may have another effect, so the client does not send it again. */
  readonly repeatable?: false;
  /** A plain document outside the envelope. */
  readonly plain?: true;
  /** Content type of a plain document that is not JSON. */
  readonly media?: string;
  /**
   * Its responses are cached until one of these facts changes. Only for public reads whose response otherwise depends
   * on nothing but path, query and whether the client accepts Markdown: the handler does not learn who the caller is.
   */
  readonly kept?: readonly Fact[];
  /** Statuses of a success; only 200 if absent. */
  readonly statuses?: readonly number[];
  /** Exists only on chain 31337. */
  readonly localOnly?: true;
  /** The services passed to the handler. */
  readonly services: readonly Uses[];
  handle(
    context: Context<z.output<Params>, z.output<Query>, z.output<Body>, Who>,
    services: Pick<HandlerServices, Uses>,
  ): Promise<DeepReadonly<z.input<Response>> | HttpResponse>;
}

export type Route = RouteDefinition;

/** Returns its definition unchanged: types the handler, and keeps the types for the client (`client/api.ts`). */
export function defineRoute<
  const Name extends string,
  const Who extends Access,
  Response extends z.ZodType,
  const Uses extends ServiceName = never,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>(
  definition: RouteDefinition<Params, Query, Body, Response, Who, Name, Uses>,
): RouteDefinition<Params, Query, Body, Response, Who, Name, Uses> {
  return definition;
}
