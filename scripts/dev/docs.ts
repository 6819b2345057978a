/** `npm run docs`: writes the documents that are generated from tables. */
import { createAsyncApiDocument } from "../../backend/http/openapi/asyncapi.ts";
import { createOpenApiDocument } from "../../backend/http/openapi/document.ts";
import { routes } from "../../backend/http/routes/index.ts";
import { games } from "../../games/index.ts";
import { defineCommand } from "../cli/command.ts";
import { renderClientRoutes } from "./docs/client-routes.ts";
import { renderConfigDocument, renderEnvironmentExample } from "./docs/config.ts";
import { createDashboard } from "./docs/dashboard.ts";
import { renderErrorsDocument } from "./docs/errors.ts";
import { renderLimitsDocument } from "./docs/limits.ts";
import { renderMoves } from "./docs/moves.ts";
import { renderReplaysDocument } from "./docs/replay-vector.ts";
import { renderRulesHashes } from "./docs/rules-hashes.ts";
import { renderSigningDocument } from "./docs/signing.ts";
import { type GeneratedDocuments, updateDocuments } from "./generated-documents.ts";
import { writeResult } from "./write-result.ts";

/** Every generated file of the repository and its expected text. */
export const generateDocuments = (): GeneratedDocuments => ({
  ".env.example": renderEnvironmentExample(),
  "games/moves.generated.ts": renderMoves(),
  "games/rules-hashes.generated.ts": renderRulesHashes(),
  "client/routes.generated.ts": renderClientRoutes(routes),
  "docs/config.md": renderConfigDocument(),
  "docs/errors.md": renderErrorsDocument(),
  "docs/limits.md": renderLimitsDocument(routes),
  "docs/replays.md": renderReplaysDocument(),
  "docs/signing.md": renderSigningDocument(),
});

/** Files for other programs, without a server's address: in `dist/`, not in git. */
const createExports = (): { readonly [name: string]: object } => ({
  "openapi.json": createOpenApiDocument(routes, "/"),
  "asyncapi.json": createAsyncApiDocument(
    games.map(({ slug }) => slug),
    null,
  ),
  "dashboard.json": createDashboard(),
});

export const command = defineCommand({
  name: "docs",
  summary: "writes the documents that are generated from tables, and dist/ (OpenAPI, AsyncAPI, dashboard)",
  flags: { check: { type: "boolean", help: "write nothing; exit code 1 if a document is not current" } },
  examples: ["npm run docs", "npm run docs -- --check"],
  async run({ flags }, terminal) {
    const isCheck = flags.check === true;
    const code = updateDocuments(generateDocuments(), { isCheck, writtenBy: "npm run docs" }, terminal);
    if (isCheck) return code;
    const exported = Object.entries(createExports()).map(([name, value]) => writeResult(name, value));
    terminal.print(`wrote ${exported.join(", ")}`);
    return code;
  },
});
