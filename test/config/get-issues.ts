import { ConfigError } from "../../backend/config/config.ts";

/** What a reader of settings rejects: one sentence for each error, none when it accepts all. */
export function getIssues(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error.issues;
    throw error;
  }
  return [];
}
