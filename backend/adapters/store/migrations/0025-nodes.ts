/** The backends that work on this database; `sessions.owner` (0013) names the one that runs a session. */
import type { Kysely } from "kysely";
import { createNodeTable } from "../nodes/nodes.ts";

export const up = (db: Kysely<unknown>): Promise<void> => createNodeTable(db);
