/** Listings that the operator hides and restores. The seller cannot undo that. */
import { sql } from "kysely";
import type { Hex } from "viem";
import type { OperatorStore } from "../../../ports/store/admin.ts";
import type { Connection } from "../connection.ts";
import type { Db } from "../schema.ts";
import { writeAudit } from "./audit.ts";

export async function isHiddenByOperator(db: Db, listingId: Hex): Promise<boolean> {
  const query = db.selectFrom("hiddenListings").select("listingId").where("listingId", "=", listingId);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Whether the seller has published another listing of the token since. */
async function hasVisibleSibling(db: Db, listingId: Hex): Promise<boolean> {
  const sibling = await db
    .selectFrom("listings as own")
    .innerJoin("listings as other", (join) =>
      join
        .onRef("other.seller", "=", "own.seller")
        .onRef("other.contract", "=", "own.contract")
        .onRef("other.tokenId", "=", "own.tokenId"),
    )
    .select("other.listingId")
    .where("own.listingId", "=", listingId)
    .where(sql<boolean>`other.visible = 1`)
    .whereRef("other.listingId", "<>", "own.listingId")
    .executeTakeFirst();
  return sibling !== undefined;
}

export function createModeration({ write }: Connection): Pick<OperatorStore, "hideListing" | "restoreListing"> {
  return {
    hideListing: (listingId, reason, stamp) =>
      write(async (db) => {
        const listing = await db
          .selectFrom("listings")
          .select("visible")
          .where("listingId", "=", listingId)
          .executeTakeFirst();
        if (listing === undefined) return "unknown";
        const inserted = await db
          .insertInto("hiddenListings")
          .values({ listingId, wasVisible: listing.visible, hiddenAtMs: stamp.atMs })
          .onConflict((conflict) => conflict.column("listingId").doNothing())
          .executeTakeFirstOrThrow();
        if (inserted.numInsertedOrUpdatedRows !== 1n) return "unchanged";
        await db.updateTable("listings").set({ visible: 0 }).where("listingId", "=", listingId).execute();
        await writeAudit(db, stamp, {
          action: "listings.hide",
          subject: listingId,
          before: { visible: listing.visible === 1 },
          after: { visible: false, hiddenByOperator: true, reason },
        });
        return "changed";
      }),

    restoreListing: (listingId, reason, stamp) =>
      write(async (db) => {
        const hidden = await db
          .deleteFrom("hiddenListings")
          .where("listingId", "=", listingId)
          .returning("wasVisible")
          .executeTakeFirst();
        if (hidden === undefined) {
          const query = db.selectFrom("listings").select("listingId").where("listingId", "=", listingId);
          return (await query.executeTakeFirst()) === undefined ? "unknown" : "unchanged";
        }
        const visible = hidden.wasVisible === 1 && !(await hasVisibleSibling(db, listingId)) ? 1 : 0;
        await db.updateTable("listings").set({ visible }).where("listingId", "=", listingId).execute();
        await writeAudit(db, stamp, {
          action: "listings.show",
          subject: listingId,
          before: { visible: false, hiddenByOperator: true },
          after: { visible: visible === 1, reason },
        });
        return "changed";
      }),
  };
}
