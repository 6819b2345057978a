/** One tool of the server as data: its input, and what it does. */
import { z } from "zod";
import type { Route } from "../../backend/http/routing/route.ts";
import type { ToolContext } from "../context.ts";
import { ToolError } from "../errors.ts";

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** Absent: an object of any form. */
  readonly output?: z.ZodType;
  /** False: it changes nothing. */
  readonly writes: boolean;
  run(input: Record<string, unknown>, context: ToolContext): Promise<object>;
}

/** Infers the type of `run`'s input. */
export function defineTool<Shape extends z.ZodRawShape>(tool: {
  readonly name: string;
  readonly description: string;
  readonly input: Shape;
  readonly writes: boolean;
  run(input: z.output<z.ZodObject<Shape>>, context: ToolContext): Promise<object>;
}): Tool {
  return { ...tool, input: z.strictObject(tool.input) } as unknown as Tool;
}

type Methods = { readonly [namespace: string]: { readonly [name: string]: (...args: unknown[]) => Promise<object> } };

const getShape = (schema: z.ZodType | undefined): z.ZodRawShape =>
  schema instanceof z.ZodObject ? (schema.shape as z.ZodRawShape) : {};

/** The input of a route's tool: its parameters, query and body, without fields that the token determines. */
export function toRouteInput(route: Route): z.ZodRawShape {
  const { walletAddress: own, ...shape } = {
    ...getShape(route.params),
    ...getShape(route.query),
    ...getShape(route.body),
  };
  return route.access === "wallet" || own === undefined ? shape : { walletAddress: own, ...shape };
}

/** Calls a route with the caller's token. Throws `ToolError` if it needs one and there is none. */
export function callRoute(route: Route, input: object, { client, token }: ToolContext): Promise<object> {
  if (route.access === "wallet" && token === null && client.wallet === null)
    throw new ToolError(
      "TOKEN_REQUIRED",
      `${route.name} needs an access token: send Authorization: Bearer … (sign_in).`,
    );
  const [namespace = "", name = ""] = route.name.split(".");
  const method = (client as unknown as Methods)[namespace]![name]!;
  // Calls public routes without a token, as the client does.
  return method(input, token === null || route.access === "public" ? {} : { token });
}

/** A tool that calls one route: name, input and description come from the table. */
export const defineRouteTool = (name: string, route: Route, more = ""): Tool => ({
  name,
  description: `${route.summary}.${more === "" ? "" : ` ${more}`}`,
  input: z.strictObject(toRouteInput(route)),
  output: route.response,
  writes: route.method === "POST" && route.access !== "public",
  run: (input, context) => callRoute(route, input, context),
});
