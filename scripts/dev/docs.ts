/** `npm run docs`: writes the documents that are generated from tables. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { routes } from "../../backend/http/routes/index.ts";
import { renderBenchmarksDocument } from "../../lab/pages/benchmarks.ts";
import { renderDrillsDocument } from "../../lab/pages/drills.ts";
import { renderReliabilityDocument } from "../../lab/pages/reliability.ts";
import { renderScalingDocument } from "../../lab/pages/scaling.ts";
import { defineCommand } from "../cli/command.ts";
import { EXIT } from "../cli/failures.ts";
import { root } from "../start/build.ts";
import { renderClientRoutes } from "./docs/client-routes.ts";
import { renderConfigDocument, renderEnvironmentExample } from "./docs/config.ts";
import { renderDashboard } from "./docs/dashboard.ts";
import { renderErrorsDocument } from "./docs/errors.ts";
import { renderAsyncApi, renderOpenApi } from "./docs/interface.ts";
import { renderLimitsDocument } from "./docs/limits.ts";
import { renderMoves } from "./docs/moves.ts";
import { renderRulesHashes } from "./docs/rules-hashes.ts";
import { renderSigningDocument } from "./docs/signing.ts";

/** Every generated file and its expected text. */
export const generateDocuments = (): { readonly [path: string]: string } => ({
  ".env.example": renderEnvironmentExample(),
  "games/moves.generated.ts": renderMoves(),
  "games/rules-hashes.generated.ts": renderRulesHashes(),
  "client/routes.generated.ts": renderClientRoutes(routes),
  "docs/asyncapi.json": renderAsyncApi(),
  "docs/benchmarks.md": renderBenchmarksDocument(),
  "docs/config.md": renderConfigDocument(),
  "docs/dashboard.json": renderDashboard(),
  "docs/drills.md": renderDrillsDocument(),
  "docs/errors.md": renderErrorsDocument(),
  "docs/limits.md": renderLimitsDocument(routes),
  "docs/openapi.json": renderOpenApi(routes),
  "docs/reliability.md": renderReliabilityDocument(),
  "docs/scaling.md": renderScalingDocument(),
  "docs/signing.md": renderSigningDocument(),
});

/** Paths of generated files that differ from the tables. */
export function findStaleDocuments(): string[] {
  return Object.entries(generateDocuments()).flatMap(([path, text]) => {
    try {
      return readFileSync(join(root, path), "utf8") === text ? [] : [path];
    } catch {
      return [path];
    }
  });
}

export const command = defineCommand({
  name: "docs",
  summary: "writes the documents that are generated from tables",
  flags: { check: { type: "boolean", help: "write nothing; exit code 1 where a document is not current" } },
  examples: ["npm run docs", "npm run docs -- --check"],
  async run({ flags }, terminal) {
    const stale = findStaleDocuments();
    if (flags.check === true) {
      for (const path of stale) process.stderr.write(`${path} is not current: run npm run docs\n`);
      terminal.printJson({ ok: stale.length === 0, stale });
      return stale.length === 0 ? EXIT.ok : EXIT.error;
    }
    const documents = generateDocuments();
    for (const path of stale) writeFileSync(join(root, path), documents[path]!);
    terminal.print(stale.length === 0 ? "every document is current" : `wrote ${stale.join(", ")}`);
    terminal.printJson({ ok: true, written: stale });
    return EXIT.ok;
  },
});
