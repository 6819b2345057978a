import { createAsyncApiDocument } from "../../../backend/http/openapi/asyncapi.ts";
import { createOpenApiDocument } from "../../../backend/http/openapi/document.ts";
import type { Route } from "../../../backend/http/routing/route.ts";
import { games } from "../../../games/index.ts";

const toPrettyJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** The HTTP interface without a server: the addresses are relative. */
export const renderOpenApi = (routes: readonly Route[]): string => toPrettyJson(createOpenApiDocument(routes, "/"));

export const renderAsyncApi = (): string =>
  toPrettyJson(
    createAsyncApiDocument(
      games.map(({ slug }) => slug),
      null,
    ),
  );
