/** `npm run docs`: writes the documents that follow from tables; `--check` only compares and exits 1 on a difference. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { routes } from "../backend/http/routes/index.ts";
import { ROUTES } from "../client/routes.ts";
import { clientDocument } from "./docs/client.ts";
import { configDocument, environmentExample } from "./docs/config.ts";
import { dashboardDocument } from "./docs/dashboard.ts";
import { errorsDocument } from "./docs/errors.ts";
import { asyncApiText, openApiText } from "./docs/interface.ts";
import { signingDocument } from "./docs/signing.ts";
import { root } from "./start/build.ts";

/** Every generated file and what it must hold. */
export const generatedDocuments = (): { readonly [path: string]: string } => ({
  ".env.example": environmentExample(),
  "client/routes-generated.ts": clientDocument(routes, ROUTES),
  "docs/asyncapi.json": asyncApiText(),
  "docs/config.md": configDocument(),
  "docs/dashboard.json": dashboardDocument(),
  "docs/errors.md": errorsDocument(),
  "docs/openapi.json": openApiText(routes),
  "docs/signing.md": signingDocument(),
});

/** Paths of generated files that are not what the tables say. */
export function staleDocuments(): string[] {
  return Object.entries(generatedDocuments()).flatMap(([path, text]) => {
    try {
      return readFileSync(join(root, path), "utf8") === text ? [] : [path];
    } catch {
      return [path];
    }
  });
}

if (process.argv[1]?.endsWith("run.mjs") || import.meta.main) {
  const stale = staleDocuments();
  if (process.argv.includes("--check")) {
    for (const path of stale) console.error(`${path} is not current: run npm run docs`);
    process.exitCode = stale.length === 0 ? 0 : 1;
  } else {
    const documents = generatedDocuments();
    for (const path of stale) writeFileSync(join(root, path), documents[path]!);
    console.log(stale.length === 0 ? "every document is current" : `wrote ${stale.join(", ")}`);
  }
}
