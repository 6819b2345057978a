/** Submits the text of the editor for the open season, by the connected wallet. */
import { type Signal, useSignal } from "@preact/signals";
import type { Answer } from "../../client/api.ts";
import { ActionButton } from "../components/action-button.tsx";
import { Load } from "../components/load.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { WalletPanel } from "../components/wallet-panel.tsx";
import { WRITE_LABELS } from "../labels/league.ts";
import { formatAgo, formatDateTime } from "../labels/shared.ts";
import { type Account, signInAccount } from "../wallet/account.ts";
import { signedInAddress } from "../wallet/wallets.ts";
import { readLeague } from "./league-data.ts";

interface SubmitPanelProps {
  readonly slug: string;
  readonly text: Signal<string>;
  readonly onLoad: (text: string) => void;
}

export function SubmitPanel({ slug, text, onLoad }: SubmitPanelProps) {
  const loaded = useLoaded("league", (signal) => readLeague(slug, signal), [slug]);
  return (
    <section class="section" aria-labelledby="submit-title">
      <h2 id="submit-title">{WRITE_LABELS.submitTitle}</h2>
      <Load loaded={loaded}>
        {({ state, season, closesAt }) =>
          state === "open" ? (
            <>
              <p>{WRITE_LABELS.submitLead(season, formatDateTime(closesAt))}</p>
              <WalletPanel>
                {(account) => <Submit account={account} slug={slug} text={text} onLoad={onLoad} />}
              </WalletPanel>
            </>
          ) : (
            <p>{WRITE_LABELS.submitClosed}</p>
          )
        }
      </Load>
    </section>
  );
}

function Submit({ account, slug, text, onLoad }: SubmitPanelProps & { readonly account: Account }) {
  const outcome = useSignal<Answer<"league.submit"> | null>(null);
  const { address } = account;
  const isSignedIn = signedInAddress.value?.toLowerCase() === address.toLowerCase();
  const { value: own } = useLoaded(
    null,
    async (signal) => (isSignedIn ? (await account.client.league.mine({ slug }, { signal })).policy : null),
    [address, isSignedIn],
  );
  const submit = async (): Promise<void> => {
    outcome.value = null;
    if (!isSignedIn) await signInAccount(account);
    outcome.value = await account.client.league.submit({ slug, text: text.value });
  };
  return (
    <>
      {own !== null && outcome.value === null && (
        <p class="quiet">
          {`${WRITE_LABELS.own(own.bytes, formatAgo(own.submittedAt))} `}
          <button type="button" class="inline" onClick={() => onLoad(own.text)}>
            {WRITE_LABELS.loadOwn}
          </button>
        </p>
      )}
      <div class="actions">
        <ActionButton label={WRITE_LABELS.submit} onClick={submit} />
      </div>
      <p role="status" class={outcome.value === null ? "" : "check check-ok"}>
        {outcome.value !== null &&
          WRITE_LABELS.submitted(outcome.value.season, outcome.value.bytes, outcome.value.digest)}
      </p>
    </>
  );
}
