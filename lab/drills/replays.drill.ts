/**
 * I1: every nonce, message, token, ballot and signature is reused: for others, elsewhere, changed, too late, after the
 * end and after a revocation. The cases are derived from the route table and from lists of possible changes. Each is
 * rejected with its specific code. `DRILL_SELF_TEST=1` lets nonces be used twice.
 */
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect } from "chai";
import { IS_SELF_TEST, printFigures } from "./support/drill.ts";
import { Arena, type ReplayCase } from "./support/replays/arena.ts";
import { createCallCases } from "./support/replays/call-cases.ts";
import { createChannelCases } from "./support/replays/channel-cases.ts";
import { createSignInCases } from "./support/replays/sign-in-cases.ts";
import { createVoteCases } from "./support/replays/vote-cases.ts";

const GROUPS: { readonly [name: string]: readonly ReplayCase[] } = {
  "messages, refresh and access tokens": createSignInCases(),
  "tokens of the channels": createChannelCases(),
  ballots: createVoteCases(),
  "signed calls": createCallCases(),
};

function letNoncesBeReused(dataDir: string): void {
  const trigger = "update nonces set used_at_ms = null where nonce = new.nonce";
  new Database(join(dataDir, "arcade.db"))
    .exec(`create trigger reuse after update of used_at_ms on nonces begin ${trigger}; end`)
    .close();
}

describe("I1: replays", function () {
  this.timeout(300_000);
  let arena: Arena;
  before(async () => {
    arena = await Arena.open();
    if (IS_SELF_TEST) letNoncesBeReused(arena.stack.dataDir);
  });
  after(() => arena?.close());

  for (const [name, cases] of Object.entries(GROUPS)) {
    it(`${name}: every replay is rejected with the expected code`, async () => {
      const wrong: string[] = [];
      const codes: { [code: string]: number } = {};
      for (const { what, how, expected, run } of cases) {
        const code = await run(arena);
        codes[code] = (codes[code] ?? 0) + 1;
        if (code !== expected) wrong.push(`${what}, ${how}: expected ${expected}, received ${code}`);
      }
      printFigures({ replays: cases.length, codes: JSON.stringify(codes) });
      expect(wrong).to.deep.equal([]);
    });
  }

  it("no two replays are the same", () => {
    const names = Object.values(GROUPS).flatMap((cases) => cases.map(({ what, how }) => `${what}, ${how}`));
    expect(new Set(names).size).to.equal(names.length);
    printFigures({ "replays in all": names.length });
  });
});
