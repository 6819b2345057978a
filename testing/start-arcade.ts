/** `startArcade`: a whole stack for other programs' tests. */
import type { Arcade } from "./arcade.ts";
import { requireNode } from "./errors.ts";
import { type ArcadeOptions, checkOptions } from "./options.ts";

/** Starts chain, contracts, store and service in this process. Throws `TestingError` for wrong options and busy ports. */
export async function startArcade(options: ArcadeOptions = {}): Promise<Arcade> {
  requireNode(process.versions.node);
  const checked = checkOptions(options);
  // The stack's modules have top-level `await`, with which `require` fails in CommonJS projects.
  const { openArcade } = await import("./open-arcade.ts");
  return openArcade({ ...options, ...checked });
}
