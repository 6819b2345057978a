import { expect } from "chai";
import type { SessionRow } from "../../../backend/ports/store/sessions.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { Rewards } from "../../../backend/services/rewards/rewards.ts";
import type { ArcadeError } from "../../../domain/errors.ts";
import { openMemoryStore } from "../../../testing/images.ts";
import { ALICE, storeEndedSession } from "../../adapters/store/rows.ts";
import { useEach } from "../../helpers/fixture.ts";

const HEAD = { nextTimestamp: 1_800_000_000 };

/** The service on a chain with these sessions cancelled. `asked`: the sessions whose consumption was read. */
function createRewards(store: Store, cancelled: readonly SessionRow[]) {
  const consumed = new Set(cancelled.map(({ gameSessionHash }) => gameSessionHash));
  const asked: unknown[] = [];
  const isSessionConsumed = async (_wallet: unknown, hash: SessionRow["gameSessionHash"]) => {
    asked.push(hash);
    return { value: consumed.has(hash), at: HEAD };
  };
  const ports = {
    sessions: store.sessions,
    chain: { deployment: { rewards: ALICE }, openFreshReads: async () => ({ isSessionConsumed }) },
    index: { waitForHead: async () => undefined },
    clock: { nowMs: () => 1 },
    signedCalls: { prepare: async () => ({}) },
    verify: async () => "verified",
  };
  return { rewards: new Rewards(ports as unknown as ConstructorParameters<typeof Rewards>[0]), asked };
}

async function storeScores(store: Store, count: number): Promise<readonly SessionRow[]> {
  const rows: SessionRow[] = [];
  for (let index = 0; index < count; index += 1) rows.push(await storeEndedSession(store));
  return rows;
}

const getIds = (rows: readonly { readonly sessionId: string }[]) => rows.map(({ sessionId }) => sessionId);
const request = { wallet: ALICE, slug: null };
const getCode = (answer: Promise<unknown>): Promise<unknown> => answer.catch(({ code }: ArcadeError) => code);

describe("scores that were cancelled on chain", () => {
  const store = useEach(openMemoryStore);

  it("do not hide later ones, however many there are on the first page of the list", async () => {
    const cancelled = await storeScores(store, 100);
    const { rewards } = createRewards(store, cancelled);
    expect(await getCode(rewards.snapshotAll(request))).to.equal("NOTHING_TO_SNAPSHOT");
    const good = await storeScores(store, 20);
    const batch = await rewards.snapshotAll(request);
    expect(getIds(batch.sessions)).to.deep.equal(getIds(good.slice(0, 16)));
    expect(batch.more).to.equal(true);
    const oldest = await rewards.snapshot({ ...request, sessionId: null, txHash: null });
    expect(oldest.sessionId).to.equal(good[0]!.sessionId);
  });

  it("do not end the list early if they are between others", async () => {
    const [early, cancelled, late] = [
      await storeScores(store, 4),
      await storeScores(store, 96),
      await storeScores(store, 12),
    ];
    const { rewards } = createRewards(store, cancelled);
    const batch = await rewards.snapshotAll(request);
    expect(getIds(batch.sessions)).to.deep.equal(getIds([...early, ...late]));
    expect(batch.more).to.equal(false);
  });

  it("are read up to 510 per request, which then reports that more may wait", async () => {
    const [first] = await storeScores(store, 1);
    const { rewards, asked } = createRewards(store, await storeScores(store, 520));
    const batch = await rewards.snapshotAll(request);
    expect(getIds(batch.sessions)).to.deep.equal([first!.sessionId]);
    expect(batch.more).to.equal(true);
    expect(asked).to.have.length(510);
  });
});
