/**
 * Input and response of every route, taken from the service's route table. In the package that is published, generated
 * types stand in this file's place (`scripts/client-package/api-types.ts`), so that it holds no code of the service.
 */
import type { z } from "zod";
import type { routes } from "../backend/http/routes/index.ts";
import type { RouteDefinition } from "../backend/http/routing/route.ts";
import type { DeepReadonly } from "../backend/http/schemas/types.ts";

type Route = (typeof routes)[number];
export type RouteName = Route["name"];
type RouteNamed<Name extends RouteName> = Extract<Route, { readonly name: Name }>;

type Flat<T> = { [Key in keyof T]: T[Key] };
/** What a schema takes; nothing where a route has none. */
type Fields<Schema extends z.ZodType> =
  z.input<Schema> extends undefined | Record<string, never> ? unknown : z.input<Schema>;
/** A boolean where a field takes the text "true", but not any text. */
type Flag<T> = string extends T ? never : "true" extends T ? boolean : never;
/** In a query a boolean is written as its text. */
type QueryFields<Schema extends z.ZodType> =
  z.input<Schema> extends undefined | Record<string, never>
    ? unknown
    : {
        [Key in keyof z.input<Schema>]: z.input<Schema>[Key] | Flag<z.input<Schema>[Key]>;
      };
type InputOf<R> =
  R extends RouteDefinition<infer Params, infer Query, infer Body>
    ? Flat<DeepReadonly<Fields<Params> & QueryFields<Query> & Fields<Body>>>
    : never;

/** A route's flat input: fields of the path, the rest is the body (POST) or the query (GET). */
export type Input<Name extends RouteName> = InputOf<RouteNamed<Name>>;
/** A route's response, without the envelope. */
export type Answer<Name extends RouteName> = DeepReadonly<z.output<RouteNamed<Name>["response"]>>;
