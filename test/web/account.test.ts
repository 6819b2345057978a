import { expect } from "chai";
import type { Account } from "../../web/wallet/account.ts";
import { importAsPage } from "./support/import-as-page.ts";

const [FIRST, SECOND] = [
  "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
] as const;
const toAccount = (address: string): Account => ({ address }) as Account;

describe("the account of a page", () => {
  let accounts: typeof import("../../web/wallet/account.ts");
  let wallets: typeof import("../../web/wallet/wallets.ts");
  let connecting: typeof import("../../web/wallet/connect.ts");
  before(async () => {
    [accounts, wallets, connecting] = await importAsPage(() =>
      Promise.all([
        import("../../web/wallet/account.ts"),
        import("../../web/wallet/wallets.ts"),
        import("../../web/wallet/connect.ts"),
      ]),
    );
  });
  afterEach(() => {
    accounts.account.value = null;
    wallets.signedInAddress.value = null;
    wallets.wallets.value = [];
  });

  it("ends the sign-in of another wallet, whose token the tab would use", () => {
    wallets.signedInAddress.value = FIRST;
    accounts.connectAccount(toAccount(SECOND));
    expect(wallets.signedInAddress.value).to.equal(null);
    expect(accounts.account.value?.address).to.equal(SECOND);
  });

  it("keeps the sign-in of the same wallet, in any spelling", () => {
    wallets.signedInAddress.value = FIRST;
    accounts.connectAccount(toAccount(FIRST.toLowerCase()));
    expect(wallets.signedInAddress.value).to.equal(FIRST);
    accounts.forgetOtherAccount();
    expect(accounts.account.value).to.not.equal(null);
  });

  it("is forgotten when another wallet signs in", () => {
    accounts.connectAccount(toAccount(FIRST));
    wallets.signedInAddress.value = SECOND;
    accounts.forgetOtherAccount();
    expect(accounts.account.value).to.equal(null);
  });

  /** A browser wallet with the first address. `onAsked` runs while its dialog is open. */
  const announce = (onAsked: () => void) => {
    const request = async ({ method }: { readonly method: string }) => {
      if (method !== "eth_accounts") throw new Error(`there is no ${method}`);
      onAsked();
      return [FIRST];
    };
    wallets.wallets.value = [{ uuid: "first", name: "First", provider: { request } }];
  };

  it("is reconnected after a reload, without a prompt", async () => {
    wallets.signedInAddress.value = FIRST;
    announce(() => undefined);
    await connecting.reconnectAccount();
    expect(accounts.account.value?.address).to.equal(FIRST);
  });

  it("is not reconnected when another wallet signs in or out while its dialog is open", async () => {
    for (const next of [SECOND, null]) {
      wallets.signedInAddress.value = FIRST;
      announce(() => {
        wallets.signedInAddress.value = next;
      });
      await connecting.reconnectAccount();
      expect(accounts.account.value).to.equal(null);
    }
  });

  it("lists the tokens that it holds, but none that it has sold or burned", async () => {
    const { listOwnedTokens } = await import("../../web/account/owned-tokens.ts");
    const owners = [FIRST.toLowerCase(), SECOND, null];
    const publicClient = {
      getContractEvents: async () => [0n, 1n, 2n, 0n].map((tokenId) => ({ args: { tokenId } })),
      readContract: async ({ args: [id] }: { args: readonly [bigint] }) =>
        owners[Number(id)] ?? Promise.reject(new Error()),
    };
    const chain = { contracts: { identity: SECOND, nft: {} }, startBlock: 0 };
    const holder = { ...toAccount(FIRST), publicClient, chain } as unknown as Account;
    expect(await listOwnedTokens(holder)).to.deep.equal([{ collection: "identity", contract: SECOND, tokenId: "0" }]);
  });

  it("sells for a price above zero, with at most 18 decimals", async () => {
    const { parsePrice } = await importAsPage(() => import("../../web/account/sell.ts"));
    expect(parsePrice(" 0.000000000000000001 ")).to.equal(1n);
    for (const text of ["0", "0.0", "", "-1", "1e3", "0.0000000000000000001"])
      expect(() => parsePrice(text), text).to.throw();
  });
});
