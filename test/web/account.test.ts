import { expect } from "chai";
import type { Account } from "../../web/wallet/account.ts";

const [FIRST, SECOND] = [
  "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
] as const;
const toAccount = (address: string): Account => ({ address }) as Account;

describe("the account of a page", () => {
  let accounts: typeof import("../../web/wallet/account.ts");
  let wallets: typeof import("../../web/wallet/wallets.ts");
  before(async () => {
    // The page's address, which the service's client needs.
    const place = { location: { origin: "http://arcade.example" } };
    const hadLocation = "location" in globalThis;
    if (!hadLocation) Object.assign(globalThis, place);
    [accounts, wallets] = await Promise.all([
      import("../../web/wallet/account.ts"),
      import("../../web/wallet/wallets.ts"),
    ]);
    if (!hadLocation) delete (globalThis as { location?: unknown }).location;
  });
  afterEach(() => {
    accounts.account.value = null;
    wallets.signedInAddress.value = null;
  });

  it("ends the sign-in of another wallet, whose token would speak for that one", () => {
    wallets.signedInAddress.value = FIRST;
    accounts.connectAccount(toAccount(SECOND));
    expect(wallets.signedInAddress.value).to.equal(null);
    expect(accounts.account.value?.address).to.equal(SECOND);
  });

  it("keeps the sign-in of its own wallet, however that is spelled", () => {
    wallets.signedInAddress.value = FIRST;
    accounts.connectAccount(toAccount(FIRST.toLowerCase()));
    expect(wallets.signedInAddress.value).to.equal(FIRST);
    accounts.forgetOtherAccount();
    expect(accounts.account.value).to.not.equal(null);
  });

  it("is forgotten where another wallet signs in", () => {
    accounts.connectAccount(toAccount(FIRST));
    wallets.signedInAddress.value = SECOND;
    accounts.forgetOtherAccount();
    expect(accounts.account.value).to.equal(null);
  });
});
