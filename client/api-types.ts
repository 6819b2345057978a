/**
 * Inputs and responses of every route and messages of the channels, derived from the service's schemas. They are
 * written out in full, so that the published declarations do not depend on the service's types or zod.
 */
import type { z } from "zod";
import type { routes } from "../backend/http/routes/index.ts";
import type { RouteDefinition } from "../backend/http/routing/route.ts";
import type { CompactMessage as Compact } from "../domain/protocol/compact.ts";
import type {
  EndMessage as End,
  EventMessage as Event,
  FrameBody as Frame,
  HelloMessage as Hello,
} from "../domain/protocol/messages.ts";

/** Every field read-only and written out. The second condition hides the name of the type from the compiler. */
type Resolved<T> = T extends object
  ? T extends infer Shape
    ? { readonly [Key in keyof Shape]: Resolved<Shape[Key]> }
    : never
  : T;

/** Written out in the declarations through the type of a constant that is never used. */
const resolve = <T>(): Resolved<T> => undefined as never;

type Route = (typeof routes)[number];
type RouteNamed<Name extends Route["name"]> = Extract<Route, { readonly name: Name }>;

/** A schema's input; nothing if a route has none. */
type Fields<Schema extends z.ZodType> =
  z.input<Schema> extends undefined | Record<string, never> ? unknown : z.input<Schema>;
/** A boolean if a field accepts the text "true" but not any text. */
type Flag<T> = string extends T ? never : "true" extends T ? boolean : never;
/** Booleans in a query are texts. */
type QueryFields<Schema extends z.ZodType> =
  z.input<Schema> extends undefined | Record<string, never>
    ? unknown
    : {
        [Key in keyof z.input<Schema>]: z.input<Schema>[Key] | Flag<z.input<Schema>[Key]>;
      };
type InputOf<R> =
  R extends RouteDefinition<infer Params, infer Query, infer Body>
    ? Fields<Params> & QueryFields<Query> & Fields<Body>
    : never;

const ROUTES =
  resolve<{
    [Name in Route["name"]]: { input: InputOf<RouteNamed<Name>>; answer: z.output<RouteNamed<Name>["response"]> };
  }>();
const MESSAGES = resolve<{ hello: Hello; frame: Frame; event: Event; end: End; compact: Compact }>();

export type RouteName = keyof typeof ROUTES;
/** A route's flat input: path parameters, and the body (POST) or the query (GET). */
export type Input<Name extends RouteName> = (typeof ROUTES)[Name]["input"];
/** A route's response, without the envelope. */
export type Answer<Name extends RouteName> = (typeof ROUTES)[Name]["answer"];

export type HelloMessage = (typeof MESSAGES)["hello"];
export type FrameBody = (typeof MESSAGES)["frame"];
export type EventMessage = (typeof MESSAGES)["event"];
export type EndMessage = (typeof MESSAGES)["end"];
export type CompactMessage = (typeof MESSAGES)["compact"];
