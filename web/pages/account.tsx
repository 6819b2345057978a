/** Everything that a wallet can do here, each step by a click. */
import { lazy } from "preact-iso";
import { PageHead } from "../components/page-head.tsx";
import { WalletPanel } from "../components/wallet-panel.tsx";
import { ACCOUNT_LABELS } from "../labels/account.ts";

/** Loaded when a wallet is connected. */
const AccountView = lazy(() => import("../account/account-view.tsx").then((module) => module.AccountView));

export function AccountPage() {
  return (
    <>
      <PageHead title={ACCOUNT_LABELS.title} lead={ACCOUNT_LABELS.intro} />
      <WalletPanel>{(account) => <AccountView key={account.address} account={account} />}</WalletPanel>
    </>
  );
}
