import { expect } from "chai";
import { REFUSAL_ACTION } from "../../domain/operator-policy.ts";
import { command } from "../../scripts/admin.ts";
import { addEndedSession, withStore } from "../../testing/ended-session.ts";
import { createAgent } from "../../testing/player.ts";
import { ALICE, createTransactionRow } from "../adapters/store/rows.ts";
import { type CommandResult, callCommand } from "../helpers/commands.ts";
import { useTestStack } from "../helpers/suite.ts";

/** The default of `ARCADE_CONFIRMATIONS`. */
const CONFIRMATIONS = 2;
/** More blocks than the local chain needs for finality. */
const FINAL_BLOCKS = 70;

describe("admin tx", () => {
  const stack = useTestStack();

  const run = (...args: string[]): Promise<CommandResult> =>
    callCommand(command, ["tx", ...args], {
      ARCADE_DATA_DIR: stack.dataDir,
      ARCADE_RPC_URL: stack.chain.rpcUrl,
      NO_COLOR: "1",
    });
  const read = async (...args: string[]): Promise<CommandResult["json"]> => {
    const result = await run(...args, "--json");
    expect(result.code, result.err).to.equal(0);
    return result.json;
  };

  it("shows a call that the operator's policy has rejected, with the reason", async () => {
    const reason = "The operator's policy has no payout of 0x095ea7b3.";
    const call = { kind: "payout", key: "refused-payout", to: "0x01", selector: "0x095ea7b3", value: "0", reason };
    await withStore(stack, ({ operator }) =>
      operator.addAuditRow({
        auditId: "0190f1d5-7c4e-7abc-8def-0123456789ab",
        who: "service",
        atMs: 1,
        action: REFUSAL_ACTION,
        subject: call.key,
        before: null,
        after: JSON.stringify(call),
      }),
    );
    expect((await read("show", call.key)).refusal).to.include({ ...call, state: "refused" });
    expect(await read("list"))
      .to.deep.include({ transactions: [] })
      .and.have.property("refused")
      .with.length(1);
    expect((await run("list")).out).to.include(reason);
  });

  it("shows a transaction as included, then as safe, and as final when it is settled", async () => {
    const agent = await createAgent(stack);
    const { sessionId } = await addEndedSession(stack, { wallet: agent.address, slug: "shellrunners", minScore: 1 });
    await agent.client.rewards.snapshotSponsored({ sessionId, sponsor: true });
    const { transactionId, state } = (await read("list")).transactions[0];
    const readState = async () => (await read("show", transactionId)).transaction.state;
    expect(state).to.equal("included");
    expect(await readState()).to.equal("included");
    const reach = async (expected: string): Promise<void> => {
      let reached = await readState();
      while (reached !== expected) {
        expect(reached).to.be.oneOf(["included", "safe"]);
        reached = await readState();
      }
    };
    const mine = (blocks: number) => stack.chain.request("hardhat_mine", [`0x${blocks.toString(16)}`]);
    await mine(CONFIRMATIONS);
    await reach("safe");
    await mine(FINAL_BLOCKS);
    await reach("final");
  });

  it("does not show a call as rejected that was signed later", async () => {
    const key = "refused-payout";
    expect((await read("list")).refused).to.have.length(1);
    const row = { ...createTransactionRow(1_000_000), kind: "payout", key, from: ALICE, settledAtMs: 1 };
    await withStore(stack, ({ transactions }) => transactions.add({ ...row, status: "included", block: 1 }));
    expect((await read("list")).refused, "signed later").to.deep.equal([]);
    expect((await read("show", row.id)).transaction).to.include({ kind: "payout" });
    expect((await run("show", key)).code).to.equal(1);
  });
});
