/** `npm run lab -- pages`: writes the documents' tables that are derived from lists and figures of the lab. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineCommand } from "../scripts/cli/command.ts";
import { type GeneratedDocuments, updateDocuments } from "../scripts/dev/generated-documents.ts";
import { root } from "../scripts/start/build.ts";
import { DRILLS_DOCUMENT, renderDrillsDocument } from "./pages/drills.ts";
import { RELIABILITY_DOCUMENT, renderInjected } from "./pages/reliability.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");

export const generatePages = (): GeneratedDocuments => ({
  [DRILLS_DOCUMENT]: renderDrillsDocument(read(DRILLS_DOCUMENT)),
  [RELIABILITY_DOCUMENT]: renderInjected(read(RELIABILITY_DOCUMENT)),
});

export const command = defineCommand({
  name: "lab pages",
  summary: "writes the tables of docs/drills.md and docs/reliability.md",
  flags: { check: { type: "boolean", help: "write nothing; exit code 1 if a page is not current" } },
  examples: ["npm run lab -- pages", "npm run lab -- pages --check"],
  run: async ({ flags }, terminal) =>
    updateDocuments(generatePages(), { isCheck: flags.check === true, writtenBy: "npm run lab -- pages" }, terminal),
});
