/** Everything that a wallet can do on the site, each step with a click. */
import { useEffect, useState } from "preact/hooks";
import { PageHead } from "../components/page-head.tsx";
import { LoadingState } from "../components/states.tsx";
import { WalletPanel } from "../components/wallet-panel.tsx";
import { ACCOUNT_LABELS } from "../labels/account.ts";
import { loadScript } from "../load-script.ts";
import type { Account } from "../wallet/account.ts";

type View = typeof import("../account/account-view.tsx").AccountView;

/** Its script has loaded once a wallet is connected. */
function ConnectedAccount({ account }: { readonly account: Account }) {
  const [view, setView] = useState<{ readonly AccountView: View } | null>(null);
  useEffect(() => {
    void loadScript(() => import("../account/account-view.tsx")).then(setView);
  }, []);
  return view === null ? <LoadingState /> : <view.AccountView key={account.address} account={account} />;
}

export function AccountPage() {
  return (
    <>
      <PageHead title={ACCOUNT_LABELS.title} lead={ACCOUNT_LABELS.intro} />
      <WalletPanel>{(account) => <ConnectedAccount account={account} />}</WalletPanel>
    </>
  );
}
