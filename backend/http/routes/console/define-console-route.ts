/** Shared by the console's routes: the operator's token, its limits, and small schemas. */
import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { defineRoute, type RouteDefinition } from "../../routing/route.ts";
import { text } from "../../schemas/values.ts";

/** Adapts an action of the operator to HTTP. */
export const defineConsoleRoute = <
  const Name extends string,
  Response extends z.ZodType,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>(
  definition: Omit<
    RouteDefinition<Params, Query, Body, Response, "admin", Name, "operator">,
    "access" | "limits" | "services"
  >,
) => defineRoute({ ...definition, access: "admin", limits: LIMITS.publicRead, services: ["operator"] });

const ROWS_MAX = 200;

/** The number of rows in a list. */
export const limitQuery = { limit: z.coerce.number<number>().int().min(1).max(ROWS_MAX).default(50) };

/** The reason for a change, for the audit. */
export const reason = z.string().trim().pipe(text(1, 200)).meta({ minLength: 1, maxLength: 200, pattern: "\\S" });
