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
  const put = async (...link: Parameters<typeof createLink>) => {
    const row = createLink(...link);
    await store.linkedAgents.put(row);
    return row;
  };
  const find = (wallet = ALICE) => store.linkedAgents.find(wallet);

  it("has one agent for a wallet and one wallet for an agent: the last link counts", async () => {
    expect(await find()).to.equal(null);
    await put(ALICE, "7");
    const second = await put(ALICE, "8");
    expect(await find()).to.deep.equal(second);
    const third = await put(BOB, "8");
    expect([await find(), await find(BOB)]).to.deep.equal([null, third]);
  });

  it("ends exactly the link that is named", async () => {
    const link = await put(ALICE, "7");
    expect(await store.linkedAgents.remove(createLink(ALICE, "8"))).to.equal(false);
    expect(await store.linkedAgents.remove(link)).to.equal(true);
    expect(await find()).to.equal(null);
  });

  it("lists links part by part, in the order of the wallets", async () => {
    const rows = [await put(ALICE, "1"), await put(BOB, "2")].sort((a, b) => (a.wallet < b.wallet ? -1 : 1));
    expect(await store.linkedAgents.list({ afterWallet: null, limit: 1 })).to.deep.equal([rows[0]]);
    expect(await store.linkedAgents.list({ afterWallet: rows[0]!.wallet, limit: 5 })).to.deep.equal([rows[1]]);
  });
});
