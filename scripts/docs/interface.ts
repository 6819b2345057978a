import { games } from "../../backend/games/index.ts";
import { asyncApiDocument } from "../../backend/http/asyncapi.ts";
import { openApiDocument } from "../../backend/http/openapi.ts";
import type { Route } from "../../backend/http/route.ts";

const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** The HTTP interface without a server of its own: the addresses are relative. */
export const openApiText = (routes: readonly Route[]): string => pretty(openApiDocument(routes, "/"));

export const asyncApiText = (): string =>
  pretty(
    asyncApiDocument(
      games.map(({ slug }) => slug),
      null,
    ),
  );
