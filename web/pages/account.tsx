/** Everything that a wallet can do here, each step by a click. */
import { lazy } from "preact-iso";
import { WalletPanel } from "../components/wallet-panel.tsx";
import { ACCOUNT_LABELS } from "../labels/account.ts";

/** Loaded when a wallet is connected. */
const AccountView = lazy(() => import("../account/account-view.tsx").then((module) => module.AccountView));

export function AccountPage() {
  return (
    <>
      <div class="page-head">
        <div>
          <h1>{ACCOUNT_LABELS.title}</h1>
          <p class="quiet">{ACCOUNT_LABELS.intro}</p>
        </div>
      </div>
      <WalletPanel>{(account) => <AccountView key={account.address} account={account} />}</WalletPanel>
    </>
  );
}
