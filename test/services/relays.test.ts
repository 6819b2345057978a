import { expect } from "chai";
import { Relays } from "../../backend/services/relays/relays.ts";
import type { SignedCall } from "../../backend/services/signed-calls.ts";
import { ArcadeError } from "../../domain/errors.ts";
import { OperatorBudgetError } from "../../domain/operator-policy.ts";
import { createSponsorshipBounds } from "../../domain/sponsorship.ts";
import { openMemoryStore } from "../../testing/images.ts";
import { ALICE } from "../adapters/store/rows.ts";
import { useEach } from "../helpers/fixture.ts";
import { TestClock } from "../helpers/test-clock.ts";

const MIDNIGHT_MS = Date.UTC(2030, 0, 2);
const REQUEST = { kind: "snapshot", wallet: ALICE, ip: "ip" } as const;
const PREPARED = {
  call: { to: ALICE, data: "0x" },
  typedData: { message: {}, primaryType: "Snapshot" },
  verifyingContract: ALICE,
} as unknown as SignedCall;

describe("relays over midnight UTC", () => {
  let clock: TestClock;
  const store = useEach(openMemoryStore);
  beforeEach(async () => {
    clock = new TestClock(MIDNIGHT_MS - 1);
  });

  /** `pass`: called after the day was read. */
  const createRelays = (gasPerDay: number, pass: () => void = () => undefined) =>
    new Relays({
      store: store.relays,
      clock,
      index: {} as never,
      hashJson: JSON.stringify,
      writer: {
        submit: async () => {
          const error = new OperatorBudgetError({ rules: [], callsPerDay: 1, gasPerCall: 1n }, clock.nowMs());
          clock.advance(1);
          throw error;
        },
        refresh: async () => {
          throw new Error("nothing was sent");
        },
        waitForTransaction: async () => {
          throw new Error("nothing was sent");
        },
      },
      identity: {
        findAgentId: async () => {
          pass();
          return "1";
        },
      },
      bounds: createSponsorshipBounds({ gasPerDay, gasPerIdentity: 1_000_000, gasPerAddress: null }),
    });
  const getRejection = async (relays: Relays): Promise<ArcadeError> => {
    const error = await relays.send(REQUEST, PREPARED, PREPARED.call).catch((cause: unknown) => cause);
    if (!(error instanceof ArcadeError)) throw error;
    return error;
  };
  /** The limit belongs to the day that has ended. A request now falls under the new day's. */
  const NOW = { resetsAt: "2030-01-02T00:00:00.000Z", retryAfterSeconds: 1 };

  it("a relay beyond the limit of the day that just ended may be requested again at once", async () => {
    const error = await getRejection(createRelays(0, () => clock.advance(1)));
    expect(error.fields).to.include({ bound: "gasPerDay", ...NOW });
    expect(error.message).to.include(NOW.resetsAt);
  });

  it("a relay beyond the operator's calls of the day that just ended may be requested again, too", async () => {
    const error = await getRejection(createRelays(1_000_000));
    expect(error.fields).to.include({ bound: "operatorCallsPerDay", ...NOW });
  });
});
