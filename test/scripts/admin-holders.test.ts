import { expect } from "chai";
import { describeHolders } from "../../scripts/admin/chain/senders.ts";

const CONTRACT = { address: "0x00000000000000000000000000000000000000c0" };
const [ADMIN, PENDING] = ["0x00000000000000000000000000000000000000a1", "0x00000000000000000000000000000000000000a2"];

/** The text for a call that these powers may make. */
const describePowers = (...powers: readonly string[]): Promise<string> => {
  const readContract = async ({ functionName }: { readonly functionName: string }) =>
    functionName === "defaultAdmin" ? ADMIN : [PENDING, 0];
  return describeHolders({ client: { readContract } } as never, { powers, contract: CONTRACT } as never);
};

describe("who may make an admin's call", () => {
  for (const [powers, text] of [
    [["token"], "an account with the tokens"],
    [["proposer"], `a proposer of the timelock ${CONTRACT.address}`],
    [["executor"], `an executor of the timelock ${CONTRACT.address}`],
    [["admin"], `the admin ${ADMIN}`],
    [["pendingAdmin"], `the pending admin ${PENDING}`],
    [["token", "admin"], `an account with the tokens or the admin ${ADMIN}`],
  ] as const)
    it(`is described: ${powers.join(", ")}`, async () => {
      expect(await describePowers(...powers)).to.equal(text);
    });
});
