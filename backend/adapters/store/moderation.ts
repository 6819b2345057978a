/** Listings that the operator takes from view and gives back. The seller cannot undo it. */
import type { Hex, OperatorStore } from "../../ports.ts";
import { writeAudit } from "./audit.ts";
import type { Connection, Db } from "./connection.ts";

export async function isHiddenByOperator(db: Db, listingId: Hex): Promise<boolean> {
  const query = db.selectFrom("hiddenListings").select("listingId").where("listingId", "=", listingId);
  return (await query.executeTakeFirst()) !== undefined;
}

export function makeModeration({ write }: Connection): Pick<OperatorStore, "hideListing" | "restoreListing"> {
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
        const visible = hidden.wasVisible;
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
