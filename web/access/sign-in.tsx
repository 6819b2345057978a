/** The header's sign-in; without a wallet in the browser there is nothing to see, and nothing is missed. */
import { useSignal } from "@preact/signals";
import { shortHex } from "../words.ts";
import { signIn, signOut, viewer, type Wallet, wallets } from "./wallets.ts";

export function SignIn() {
  const trouble = useSignal<string | null>(null);
  const busy = useSignal(false);
  const enter = async (wallet: Wallet): Promise<void> => {
    busy.value = true;
    trouble.value = null;
    try {
      await signIn(wallet);
    } catch (fault) {
      // Wallets throw plain objects with a message.
      const { message } = (fault ?? {}) as { message?: unknown };
      trouble.value = typeof message === "string" ? message : "The wallet did not sign.";
    } finally {
      busy.value = false;
    }
  };

  if (viewer.value !== null) {
    return (
      <span class="viewer">
        <span title={viewer.value}>{shortHex(viewer.value)}</span>
        <button type="button" class="inline" onClick={signOut}>
          Sign out
        </button>
      </span>
    );
  }
  return (
    <span class="viewer">
      {wallets.value.map((wallet) => (
        <button key={wallet.uuid} type="button" class="inline" disabled={busy.value} onClick={() => void enter(wallet)}>
          {`Sign in with ${wallet.name}`}
        </button>
      ))}
      <span class="viewer-trouble" role="status">
        {trouble.value}
      </span>
    </span>
  );
}
