import { expect } from "chai";
import { createIdentityMetadata, createRegistrationFile } from "../../domain/identity.ts";

const OWN = "eip155:31337:0x1111111111111111111111111111111111111111";
const LARGEST_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);
const UINT256_MAX = 2n ** 256n - 1n;

describe("ids of agents in registration files", () => {
  const context = { wallet: `0x${"33".repeat(20)}`, image: "https://a/i.svg", externalUrl: "https://a/" };

  it("are numbers while those are exact, and decimal text beyond", () => {
    const document = createIdentityMetadata({ agentName: "Pinch" }, context);
    const ids = [0n, 22n, LARGEST_NUMBER, LARGEST_NUMBER + 1n, LARGEST_NUMBER + 2n, UINT256_MAX];
    const { registrations } = JSON.parse(createRegistrationFile(document, ids, OWN));
    expect(registrations.map(({ agentId }: { agentId: unknown }) => agentId)).to.deep.equal([
      0,
      22,
      9007199254740991,
      "9007199254740992",
      "9007199254740993",
      String(UINT256_MAX),
    ]);
  });
});
