import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Runs publint on the folder of a built package. Returns its findings. */
export async function lintPackage(pkgDir: string): Promise<string[]> {
  // In variables, because the package is installed on first use and the compiler may not find it.
  const linter = "publint";
  const texts = "publint/utils";
  const { publint } = (await import(linter)) as {
    publint(options: object): Promise<{ readonly messages: readonly object[]; readonly pkg?: object }>;
  };
  const { formatMessage } = (await import(texts)) as {
    formatMessage(message: object, pkg: unknown, options: object): string;
  };
  const pkg: unknown = JSON.parse(readFileSync(join(pkgDir, "package.json"), "utf8"));
  const { messages } = await publint({ pkgDir, strict: true, pack: false });
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`);
}
