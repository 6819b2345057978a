import { ConfigError } from "../../backend/config/config.ts";

/** Returns the errors of a reader of settings, one sentence each; empty if it accepts all. */
export function getIssues(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error.issues;
    throw error;
  }
  return [];
}
