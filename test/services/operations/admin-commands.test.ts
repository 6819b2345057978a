import { expect } from "chai";
import { AdminCommands } from "../../../backend/services/operations/admin-commands.ts";
import { ArcadeError } from "../../../domain/errors.ts";
import { openMemoryStore } from "../../../testing/images.ts";
import { silentLog } from "../../adapters/chain/chain-fixture.ts";
import { BASE_TIME_MS, createTransactionRow } from "../../adapters/store/rows.ts";
import { useEach } from "../../helpers/fixture.ts";
import { TestClock } from "../../helpers/test-clock.ts";

describe("the operator's commands", () => {
  const store = useEach(openMemoryStore);

  it("carry out an order for a transaction even if an earlier one fails, which is retried", async () => {
    const rows = [1, 2].map((nonce) => createTransactionRow(nonce));
    await store.transactions.addMany(rows);
    for (const [index, { id }] of rows.entries())
      await store.operator.orderTransaction(id, "bump", { auditId: `order-${index}`, who: "me", atMs: BASE_TIME_MS });
    const ordered: string[] = [];
    let isWriter = false;
    const commands = new AdminCommands({
      store: store.operator,
      writer: {
        order: async (id) => {
          ordered.push(id);
          if (ordered.length === 1) throw new ArcadeError("SIGNER_UNAVAILABLE", "The signer is away.");
          return "bumped";
        },
      },
      live: { end: async () => null },
      mayOrder: () => isWriter,
      clock: new TestClock(),
      log: silentLog,
    });
    expect(await commands.runPending(), "another backend orders").to.equal(0);
    isWriter = true;
    expect(await commands.runPending()).to.equal(1);
    expect(await commands.runPending()).to.equal(1);
    expect(ordered).to.deep.equal([rows[0]!.id, rows[1]!.id, rows[0]!.id]);
    expect(await store.operator.findTransactionOrder("order-0")).to.include({ outcome: "bumped" });
  });

  it("are read every second, also after a failed read, until they are stopped", async () => {
    const clock = new TestClock();
    const reads: (() => void)[] = [];
    let isAvailable = true;
    const commands = new AdminCommands({
      store: {
        listOpenCommands: async () => {
          await new Promise<void>((resolve) => reads.push(resolve));
          if (!isAvailable) throw new ArcadeError("STORAGE_BUSY", "The store is busy.");
          return [];
        },
      } as never,
      writer: {} as never,
      live: { end: async () => null },
      mayOrder: () => false,
      clock,
      log: silentLog,
    });
    const finishRead = async (): Promise<void> => {
      reads.at(-1)!();
      for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
    };
    commands.start();
    clock.advance(999);
    expect(reads).to.have.length(0);
    clock.advance(1);
    expect(reads).to.have.length(1);
    clock.advance(5_000);
    expect(reads, "one at a time").to.have.length(1);
    isAvailable = false;
    await finishRead();
    clock.advance(1_000);
    expect(reads).to.have.length(2);
    let isStopped = false;
    const stopping = commands.stop().then(() => {
      isStopped = true;
    });
    for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
    expect(isStopped, "while a read is in progress").to.equal(false);
    await finishRead();
    await stopping;
    clock.advance(5_000);
    expect(reads).to.have.length(2);
    commands.start();
    await commands.stop();
    clock.advance(5_000);
    expect(reads, "stopped before the first read").to.have.length(2);
  });
});
