/** What a connected wallet can do and, after sign-in, what it owns. */
import { useEffect, useMemo } from "preact/hooks";
import { games } from "../../games/index.ts";
import { Address } from "../components/address.tsx";
import { Load } from "../components/load.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { ACCOUNT_LABELS, WALLET_LABELS } from "../labels/account.ts";
import { type Account, disconnectAccount } from "../wallet/account.ts";
import { signedInAddress } from "../wallet/wallets.ts";
import { loadAccountData } from "./account-data.ts";
import { AgentSteps } from "./agent-steps.ts";
import { Listings } from "./listings.tsx";
import { Balances, PayoutHistory, PayoutState, PendingScores } from "./money.tsx";
import { ProfileForm } from "./profile-form.tsx";
import { Progress, Runs } from "./progress.tsx";
import { StepList } from "./step-list.tsx";

export function AccountView({ account }: { readonly account: Account }) {
  const steps = useMemo(() => new AgentSteps(account, games[0]!.slug), [account]);
  useEffect(() => {
    void steps.readProgress();
    return () => steps.leave();
  }, [steps]);
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
      <StepList steps={steps} />
      {isSignedIn && <SignedIn steps={steps} />}
    </>
  );
}

function SignedIn({ steps }: { readonly steps: AgentSteps }) {
  const { account } = steps;
  const loaded = useLoaded(null, () => loadAccountData(account), [account, steps.version.value]);
  const onChanged = (): void => {
    steps.version.value += 1;
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
