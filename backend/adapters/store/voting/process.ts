/** The voting process: applications, reviews and cycles. Each change writes its audit row. */
import type { CandidateRow, CycleRow, Tally, VotingStore } from "../../../ports/store/voting.ts";
import { writeAudit } from "../admin/audit.ts";
import { IS_UNSETTLED } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import type { Db } from "../schema.ts";
import { countVotes, findCandidate, findUnsettled, selectCandidates, selectCycles } from "./rows.ts";

type VotingProcess = Pick<VotingStore, "addCandidate" | "moveCandidate" | "openCycle" | "closeCycle">;

type CandidateChange = Partial<Pick<CandidateRow, "state" | "note" | "cycleId">>;

/** Moves a candidate that is in one of the states `from`; null if it is in none of them. */
async function moveCandidate(
  db: Db,
  slug: string,
  from: readonly CandidateRow["state"][],
  change: CandidateChange,
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

/** The next number; cycles are never deleted. */
async function getNextCycleId(db: Db): Promise<number> {
  const { last } = await db
    .selectFrom("votingCycles")
    .select((eb) => eb.fn.max("id").as("last"))
    .executeTakeFirstOrThrow();
  return (last ?? 0) + 1;
}

export function createVotingProcess({ write }: Connection): VotingProcess {
  return {
    addCandidate: (candidate, stamp) =>
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

    moveCandidate: (slug, { from, to, note }, stamp) =>
      write(async (db) => {
        const before = await findCandidate(db, slug);
        const after = await moveCandidate(db, slug, from, { state: to, ...(note !== null && { note }) }, stamp.atMs);
        if (after !== null) await writeAudit(db, stamp, { action: `voting.${to}`, subject: slug, before, after });
        return after;
      }),

    openCycle: (schedule, slugs, stamp) =>
      write(async (db) => {
        const unsettled = await findUnsettled(db);
        if (unsettled !== null) return { outcome: "unsettled", cycle: unsettled };
        const found = await selectCandidates(db).where("slug", "in", slugs).execute();
        const approved = new Set(found.filter(({ state }) => state === "approved").map(({ slug }) => slug));
        const notApproved = slugs.filter((slug) => !approved.has(slug));
        if (notApproved.length > 0) return { outcome: "not_approved", slugs: notApproved };

        const cycle: CycleRow = { id: await getNextCycleId(db), ...schedule, closedAtMs: null };
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

    closeCycle: (pickWinners, stamp) =>
      write(async (db) => {
        const before = await findUnsettled(db);
        if (before === null) return null;
        await db.updateTable("votingCycles").set({ closedAtMs: stamp.atMs }).where(IS_UNSETTLED).execute();
        const candidates = await selectCandidates(db).where("cycleId", "=", before.id).execute();
        const tallies: Tally[] = [];
        for (const { slug } of candidates) tallies.push(await countVotes(db, slug));
        const winners = pickWinners(tallies);
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
