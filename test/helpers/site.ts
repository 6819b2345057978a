import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleSite } from "../../web/bundle.ts";

/** The built site in a temporary folder. `remove` deletes it. */
export async function buildTestSite(): Promise<{ readonly webDir: string; readonly remove: () => Promise<void> }> {
  const webDir = await mkdtemp(join(tmpdir(), "arcade-site-"));
  await bundleSite(webDir);
  return { webDir, remove: () => rm(webDir, { recursive: true, force: true }) };
}
