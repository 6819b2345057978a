/** The deployment that a store belongs to: one row for its chain id and one for each contract. */
import type { Kysely } from "kysely";

export async function createDeploymentTable({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("deployment")
    .addColumn("part", "text", (column) => column.primaryKey().notNull())
    .addColumn("value", "text", (column) => column.notNull())
    .execute();
}
