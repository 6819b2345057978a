/** The header's sign-in. Hidden if the browser has no wallet. */
import { useSignal } from "@preact/signals";
import { shortenHex } from "../labels/shared.ts";
import { forgetOtherAccount } from "./account.ts";
import { signedInAddress, signIn, signOut, type Wallet, wallets } from "./wallets.ts";

export function SignIn() {
  const errorMessage = useSignal<string | null>(null);
  const isBusy = useSignal(false);
  const signInWith = async (wallet: Wallet): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    errorMessage.value = null;
    try {
      await signIn(wallet);
      forgetOtherAccount();
    } catch (error) {
      // Wallets throw plain objects with a message.
      const { message } = (error ?? {}) as { message?: unknown };
      errorMessage.value = typeof message === "string" ? message : "The wallet did not sign.";
    } finally {
      isBusy.value = false;
    }
  };

  if (signedInAddress.value !== null) {
    return (
      <span class="viewer">
        <span title={signedInAddress.value}>{shortenHex(signedInAddress.value)}</span>
        <button type="button" class="inline" onClick={signOut}>
          Sign out
        </button>
      </span>
    );
  }
  return (
    <span class="viewer">
      {wallets.value.map((wallet) => (
        <button
          key={wallet.uuid}
          type="button"
          class="inline"
          // Not `disabled`: the button would lose the focus.
          aria-disabled={isBusy.value}
          onClick={() => void signInWith(wallet)}
        >
          {`Sign in with ${wallet.name}`}
        </button>
      ))}
      <span class="sign-in-error" role="status">
        {errorMessage.value}
      </span>
    </span>
  );
}
