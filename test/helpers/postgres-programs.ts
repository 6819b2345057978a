import { getEnvironment } from "../../backend/config/environment.ts";
import { findPostgresPrograms as findInstalled } from "../../scripts/fleet/programs.ts";

/**
 * The folder of the newest installed server's programs. Null where none is installed, and in `npm test`, which needs
 * nothing but Node and leaves servers to commands of their own (`npm test -- --suite postgres`).
 */
export const findPostgresPrograms = (): string | null =>
  getEnvironment().TEST_SERVERS === "off" ? null : findInstalled();
