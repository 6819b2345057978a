import { expect } from "chai";
import { Gates } from "../../../backend/services/sessions/gates.ts";
import { openMemoryStore } from "../../../testing/images.ts";
import { silentLog } from "../../adapters/chain/chain-fixture.ts";
import { ALICE, storeVerifiedSession } from "../../adapters/store/rows.ts";
import { useEach } from "../../helpers/fixture.ts";

const REQUEST = { wallet: ALICE, agentId: "1", slug: "shellrunners", forfeit: false };

describe("the gate of snapshots", () => {
  const store = useEach(openMemoryStore);
  let polls: number;
  let gates: Gates;
  beforeEach(() => {
    polls = 0;
    gates = new Gates({
      store: store.sessions,
      facts: { isSessionConsumed: async () => false, getNextBlockTime: () => 0 },
      index: {
        waitForNextPoll: async () => {
          polls += 1;
        },
      },
      clock: { nowMs: () => 0 },
      log: silentLog,
      nft: { getGateFacts: async () => null },
    });
  });

  const addPending = async (): Promise<string> => (await storeVerifiedSession(store)).sessionId;
  const refuse = async (): Promise<void> => {
    const error = await gates.pass(REQUEST).catch((reason: unknown) => reason);
    expect(error).to.include({ code: "SNAPSHOT_REQUIRED" });
  };

  it("answers at once if no snapshot was signed, since none can be in a block", async () => {
    await addPending();
    await refuse();
    expect(polls).to.equal(0);
  });

  it("waits for the next poll once one of the scores was signed", async () => {
    await addPending();
    const sessionId = await addPending();
    await store.sessions.markPrepared(sessionId, { atMs: 1, signedUntilSeconds: 600 });
    await refuse();
    expect(polls).to.equal(1);
  });
});
