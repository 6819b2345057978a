/** A page's wallet: a choice of wallets, then the page's own part, and the signing dialog. */
import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { isLocalChain } from "../../domain/chain-ids.ts";
import { WALLET_LABELS } from "../labels/account.ts";
import { getErrorMessage } from "../labels/shared.ts";
import { loadScript } from "../load-script.ts";
import { siteConfig } from "../site-config.ts";
import { type Account, account, connectAccount, readConnected } from "../wallet/account.ts";
import { signedInAddress, wallets } from "../wallet/wallets.ts";
import { SigningDialog } from "./signing-dialog.tsx";

interface WalletPanelProps {
  readonly children: (account: Account) => ComponentChildren;
}

export function WalletPanel({ children }: WalletPanelProps) {
  const connected = account.value;
  const announced = wallets.value;
  useEffect(() => {
    const isKnown = account.value === null && (signedInAddress.value ?? readConnected()) !== null;
    if (isKnown)
      loadScript(() => import("../wallet/connect.ts"))
        .then(({ reconnectAccount }) => reconnectAccount())
        .catch(() => undefined);
  }, [announced]);
  return (
    <>
      {connected === null ? <ConnectChoice /> : children(connected)}
      <SigningDialog />
    </>
  );
}

function ConnectChoice() {
  const error = useSignal<string | null>(null);
  const connect = async (open: () => Promise<Account | null>): Promise<void> => {
    error.value = null;
    try {
      connectAccount(await open());
    } catch (thrown) {
      error.value = getErrorMessage(thrown);
    }
  };
  return (
    <section class="connect" aria-labelledby="connect-title">
      <h2 id="connect-title">{WALLET_LABELS.title}</h2>
      <div class="connect-choices">
        {isLocalChain(siteConfig.chainId) && (
          <div class="panel">
            <h3>{WALLET_LABELS.developmentTitle}</h3>
            <p class="quiet">{WALLET_LABELS.developmentText}</p>
            <button
              type="button"
              class="button"
              onClick={() =>
                void connect(async () =>
                  (await loadScript(() => import("../wallet/connect.ts"))).connectDevelopmentWallet(),
                )
              }
            >
              {WALLET_LABELS.developmentAction}
            </button>
          </div>
        )}
        <BrowserWallets connect={connect} />
      </div>
      <ConnectError error={error} />
    </section>
  );
}

interface BrowserWalletsProps {
  readonly connect: (open: () => Promise<Account | null>) => Promise<void>;
}

const BrowserWallets = ({ connect }: BrowserWalletsProps) => (
  <div class="panel">
    <h3>{WALLET_LABELS.browserTitle}</h3>
    <p class="quiet">{wallets.value.length === 0 ? WALLET_LABELS.noBrowserWallet : WALLET_LABELS.browserText}</p>
    {wallets.value.map((wallet) => (
      <button
        key={wallet.uuid}
        type="button"
        class="button"
        onClick={() =>
          void connect(async () =>
            (await loadScript(() => import("../wallet/connect.ts"))).connectBrowserWallet(wallet),
          )
        }
      >
        {WALLET_LABELS.connect(wallet.name)}
      </button>
    ))}
  </div>
);

const ConnectError = ({ error }: { readonly error: Signal<string | null> }) => (
  <p role="alert" class="failure">
    {error.value}
  </p>
);
