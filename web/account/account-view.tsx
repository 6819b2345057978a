/** What a connected wallet can do: the steps of its life, and after sign-in all that it has. */
import { useEffect, useMemo } from "preact/hooks";
import { games } from "../../games/index.ts";
import { Address } from "../components/address.tsx";
import { Load } from "../components/load.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { ACCOUNT_LABELS, WALLET_LABELS } from "../labels/account.ts";
import { type Account, disconnectAccount } from "../wallet/account.ts";
import { signedInAddress } from "../wallet/wallets.ts";
import { loadAccountData } from "./account-data.ts";
import { Life } from "./life.ts";
import { LifeSteps } from "./life-steps.tsx";
import { Listings } from "./listings.tsx";
import { Balances, PayoutHistory, PayoutState, PendingScores } from "./money.tsx";
import { ProfileForm } from "./profile-form.tsx";
import { Progress, Runs } from "./progress.tsx";

export function AccountView({ account }: { readonly account: Account }) {
  const life = useMemo(() => new Life(account, games[0]!.slug), [account]);
  useEffect(() => {
    void life.readProgress();
    return () => life.leave();
  }, [life]);
  const isSignedIn = signedInAddress.value?.toLowerCase() === account.address.toLowerCase();
  return (
    <>
      <p class="account-bar">
        <span>{account.kind === "development" ? WALLET_LABELS.developmentTitle : account.name}</span>
        <Address hex={account.address} />
        <button type="button" class="inline" onClick={disconnectAccount}>
          {WALLET_LABELS.disconnect}
        </button>
      </p>
      <LifeSteps life={life} />
      {isSignedIn && <SignedIn life={life} />}
    </>
  );
}

function SignedIn({ life }: { readonly life: Life }) {
  const { account } = life;
  const loaded = useLoaded(null, () => loadAccountData(account), [account, life.version.value]);
  const onChanged = (): void => {
    life.version.value += 1;
  };
  return (
    <Load loaded={loaded}>
      {(data) => (
        <>
          <Balances data={data} />
          <PayoutState readiness={data.readiness} />
          <PendingScores account={account} data={data} onChanged={onChanged} />
          <Progress games={data.games} />
          <Listings account={account} data={data} onChanged={onChanged} />
          <ProfileForm
            key={data.profile?.updatedAt ?? ""}
            account={account}
            profile={data.profile}
            playedName={data.games.flatMap(({ runs }) => runs)[0]?.agentName ?? null}
            onChanged={onChanged}
          />
          <Runs games={data.games} />
          <PayoutHistory payouts={data.payouts} />
          <section class="section" aria-labelledby="votes-title">
            <h2 id="votes-title">{ACCOUNT_LABELS.votes}</h2>
            <p>
              {`${ACCOUNT_LABELS.votesText} `}
              <a href="/vote">{ACCOUNT_LABELS.vote}</a>
            </p>
          </section>
        </>
      )}
    </Load>
  );
}
