import { expect } from "chai";
import type { Address } from "viem";
import type { LinkedAgentRow } from "../../../../backend/ports/store/linked-agents.ts";
import { ALICE, BASE_TIME_MS, BOB } from "../rows.ts";
import { describeStore } from "../suite.ts";

const REGISTRY: Address = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";

const createLink = (wallet: Address, agentId: string): LinkedAgentRow => ({
  wallet,
  registry: REGISTRY,
  agentId,
  deadline: "1900000000",
  signature: "0x12",
  linkedAtMs: BASE_TIME_MS,
});

describeStore("linked agents", (store) => {
  it("has one agent for a wallet and one wallet for an agent: the last link counts", async () => {
    const { linkedAgents } = store;
    expect(await linkedAgents.find(ALICE)).to.equal(null);
    await linkedAgents.put(createLink(ALICE, "7"));
    await linkedAgents.put(createLink(ALICE, "8"));
    expect(await linkedAgents.find(ALICE)).to.deep.equal(createLink(ALICE, "8"));
    await linkedAgents.put(createLink(BOB, "8"));
    expect(await linkedAgents.find(ALICE)).to.equal(null);
    expect(await linkedAgents.find(BOB)).to.deep.equal(createLink(BOB, "8"));
  });

  it("ends exactly the link that is named", async () => {
    const { linkedAgents } = store;
    await linkedAgents.put(createLink(ALICE, "7"));
    expect(await linkedAgents.remove(createLink(ALICE, "8"))).to.equal(false);
    expect(await linkedAgents.remove(createLink(ALICE, "7"))).to.equal(true);
    expect(await linkedAgents.find(ALICE)).to.equal(null);
  });

  it("lists links part by part, in the order of the wallets", async () => {
    const { linkedAgents } = store;
    const rows = [createLink(ALICE, "1"), createLink(BOB, "2")].sort((a, b) => (a.wallet < b.wallet ? -1 : 1));
    for (const row of rows) await linkedAgents.put(row);
    expect(await linkedAgents.list({ afterWallet: null, limit: 1 })).to.deep.equal([rows[0]]);
    expect(await linkedAgents.list({ afterWallet: rows[0]!.wallet, limit: 5 })).to.deep.equal([rows[1]]);
  });
});
