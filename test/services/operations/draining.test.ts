import { expect } from "chai";
import { setDraining } from "../../../backend/services/operations/actions/service.ts";

describe("draining by the operator", () => {
  function createOperator() {
    const state = { draining: false, isStored: true };
    const audit: object[] = [];
    const operator = {
      draining: {
        get: () => state.draining,
        set: (draining: boolean) => {
          state.draining = draining;
        },
      },
      store: {
        operator: {
          addAuditRow: async (row: object) => {
            if (!state.isStored) throw new Error("the disk is full");
            audit.push(row);
          },
        },
      },
      createStamp: () => ({ who: "me" }),
    } as never;
    return { state, audit, set: (draining: boolean) => setDraining(operator, { draining, reason: "a test" }) };
  }

  it("writes each change to the audit, and nothing if there is none", async () => {
    const { state, audit, set } = createOperator();
    expect(await set(false)).to.deep.equal({ draining: false });
    expect(audit).to.deep.equal([]);
    for (const draining of [true, true, false]) {
      expect(await set(draining)).to.deep.equal({ draining });
      expect(state.draining).to.equal(draining);
    }
    const row = (action: string, before: boolean) => ({
      who: "me",
      action,
      subject: "service",
      before: JSON.stringify({ draining: before }),
      after: JSON.stringify({ draining: !before, reason: "a test" }),
    });
    expect(audit).to.deep.equal([row("service.drain", false), row("service.resume", true)]);
  });

  it("does not start or end without its row in the audit", async () => {
    const { state, set } = createOperator();
    state.isStored = false;
    expect(await set(true).catch(({ message }) => message)).to.equal("the disk is full");
    expect(state.draining).to.equal(false);
  });
});
