import { expect } from "chai";
import { RequestBudget } from "../../../backend/adapters/chain/request-budget.ts";
import { NODE_LIMITS } from "../../../domain/limits/limits.ts";
import { TestClock } from "../../helpers/test-clock.ts";

const BUDGET_MS = 1000;
const { guestsInAll, guestsPerIp } = NODE_LIMITS;

describe("node requests of callers without an identity", () => {
  let clock: TestClock;
  let budget: RequestBudget;
  /** Requests that the node has not answered yet, by the caller's address. */
  let asked: { readonly ip: string; answer(): void }[];
  beforeEach(() => {
    [clock, asked] = [new TestClock(), []];
    budget = new RequestBudget(clock, BUDGET_MS, true);
  });

  const ask = (ip: string, isPlayer = false): Promise<string> =>
    budget.run(ip, async () => {
      if (isPlayer) budget.admitPlayer();
      const question = () => new Promise<void>((resolve) => asked.push({ ip, answer: resolve }));
      return budget.ask(question).then(
        () => "answered",
        (error: { code: string }) => error.code,
      );
    });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const listAskers = (): string[] => asked.map(({ ip }) => ip);

  it("are at most 8 of one address and 32 at once; those of players do not wait", async () => {
    for (let i = 0; i <= guestsPerIp; i += 1) void ask("a");
    await settle();
    expect(asked).to.have.length(guestsPerIp);
    for (let i = guestsPerIp; i <= guestsInAll; i += 1) void ask(`b${i}`);
    await settle();
    expect(asked).to.have.length(guestsInAll);
    void ask("c", true);
    await settle();
    expect(listAskers().at(-1)).to.equal("c");
  });

  it("wait for their turn, one address after the other", async () => {
    for (let i = 0; i < guestsInAll; i += 1) void ask(`first${i}`);
    for (let i = 0; i < 3; i += 1) void ask("many");
    const other = ask("other");
    await settle();
    for (let i = 0; i < 3; i += 1) {
      asked[i]!.answer();
      await settle();
    }
    expect(listAskers().slice(guestsInAll)).to.deep.equal(["many", "other", "many"]);
    asked[guestsInAll + 1]!.answer();
    expect(await other).to.equal("answered");
  });

  it("get CHAIN_UNAVAILABLE when their turn does not come, and take no turn afterward", async () => {
    for (let i = 0; i < guestsInAll; i += 1) void ask(`first${i}`);
    const late = ask("late");
    await settle();
    clock.advance(BUDGET_MS);
    expect(await late).to.equal("CHAIN_UNAVAILABLE");
    const next = ask("next");
    asked[0]!.answer();
    await settle();
    expect(listAskers().at(-1)).to.equal("next");
    asked.at(-1)!.answer();
    expect(await next).to.equal("answered");
  });

  it("are not bounded while rate limits are off", async () => {
    budget = new RequestBudget(clock, BUDGET_MS, false);
    for (let i = 0; i <= guestsInAll; i += 1) void ask("a");
    await settle();
    expect(asked).to.have.length(guestsInAll + 1);
  });
});
