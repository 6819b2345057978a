/** The voting process: applications, review, cycles and what follows them. Each change writes its audit row. */
import type { CandidateRow, CycleRow, Tally, VotingStore } from "../../ports.ts";
import { writeAudit } from "./audit.ts";
import { IS_UNSETTLED } from "./conditions.ts";
import type { Connection, Db } from "./connection.ts";
import { findCandidate, findUnsettled, selectCandidates, selectCycles, tallyOf } from "./voting-rows.ts";

type VotingProcess = Pick<VotingStore, "apply" | "move" | "open" | "close">;

type Change = Partial<Pick<CandidateRow, "state" | "note" | "cycleId">>;

/** Moves a candidate that is in one of the states `from`; null where it is in none of them. */
async function moveCandidate(
  db: Db,
  slug: string,
  from: readonly CandidateRow["state"][],
  change: Change,
  atMs: number,
): Promise<CandidateRow | null> {
  const result = await db
    .updateTable("votingCandidates")
    .set({ ...change, changedAtMs: atMs })
    .where("slug", "=", slug)
    .where("state", "in", from)
    .executeTakeFirstOrThrow();
  return result.numUpdatedRows === 1n ? findCandidate(db, slug) : null;
}

/** The next number; the cycle's rows are never deleted. */
async function nextCycleId(db: Db): Promise<number> {
  const { last } = await db
    .selectFrom("votingCycles")
    .select((eb) => eb.fn.max("id").as("last"))
    .executeTakeFirstOrThrow();
  return (last ?? 0) + 1;
}

export function makeVotingProcess({ write }: Connection): VotingProcess {
  return {
    apply: (candidate, stamp) =>
      write(async (db) => {
        const row: CandidateRow = {
          ...candidate,
          state: "applied",
          note: null,
          cycleId: null,
          appliedAtMs: stamp.atMs,
          changedAtMs: stamp.atMs,
        };
        const inserted = await db
          .insertInto("votingCandidates")
          .values(row)
          .onConflict((conflict) => conflict.column("slug").doNothing())
          .executeTakeFirstOrThrow();
        if (inserted.numInsertedOrUpdatedRows !== 1n) return false;
        await writeAudit(db, stamp, { action: "voting.apply", subject: row.slug, before: null, after: row });
        return true;
      }),

    move: (slug, { from, to, note }, stamp) =>
      write(async (db) => {
        const before = await findCandidate(db, slug);
        const after = await moveCandidate(db, slug, from, { state: to, ...(note !== null && { note }) }, stamp.atMs);
        if (after !== null) await writeAudit(db, stamp, { action: `voting.${to}`, subject: slug, before, after });
        return after;
      }),

    open: (times, slugs, stamp) =>
      write(async (db) => {
        const unsettled = await findUnsettled(db);
        if (unsettled !== null) return { outcome: "unsettled", cycle: unsettled };
        const found = await selectCandidates(db).where("slug", "in", slugs).execute();
        const approved = new Set(found.filter(({ state }) => state === "approved").map(({ slug }) => slug));
        const others = slugs.filter((slug) => !approved.has(slug));
        if (others.length > 0) return { outcome: "not_approved", slugs: others };

        const cycle: CycleRow = { id: await nextCycleId(db), ...times, closedAtMs: null };
        await db.insertInto("votingCycles").values(cycle).execute();
        for (const slug of slugs)
          await moveCandidate(db, slug, ["approved"], { state: "voting", cycleId: cycle.id }, stamp.atMs);
        const subject = `cycle ${cycle.id}`;
        await writeAudit(db, stamp, {
          action: "voting.open",
          subject,
          before: null,
          after: { ...cycle, games: slugs },
        });
        return { outcome: "opened", cycle };
      }),

    close: (winnersOf, stamp) =>
      write(async (db) => {
        const before = await findUnsettled(db);
        if (before === null) return null;
        await db.updateTable("votingCycles").set({ closedAtMs: stamp.atMs }).where(IS_UNSETTLED).execute();
        const candidates = await selectCandidates(db).where("cycleId", "=", before.id).execute();
        const tallies: Tally[] = [];
        for (const { slug } of candidates) tallies.push(await tallyOf(db, slug));
        const winners = winnersOf(tallies);
        for (const { slug } of candidates)
          await moveCandidate(db, slug, ["voting"], { state: winners.includes(slug) ? "won" : "lost" }, stamp.atMs);
        const cycle = await selectCycles(db).where("id", "=", before.id).executeTakeFirstOrThrow();
        await writeAudit(db, stamp, {
          action: "voting.close",
          subject: `cycle ${cycle.id}`,
          before,
          after: { ...cycle, tallies, winners },
        });
        return { cycle, winners };
      }),
  };
}
