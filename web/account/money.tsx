/** Balances, pending scores, the payout with its reasons, and past payouts. */
import { formatEther, formatUnits } from "viem";
import type { PayoutEntry, Readiness, Scorebank } from "../../client/api.ts";
import { snapshotScore } from "../../client/flows.ts";
import { findGame } from "../../games/index.ts";
import { ActionButton } from "../components/action-button.tsx";
import { Address } from "../components/address.tsx";
import { EmptyState } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { ACCOUNT_LABELS, PAYOUT_REASON_LABELS, shortenNumber } from "../labels/account.ts";
import { formatDateTime, formatNumber } from "../labels/shared.ts";
import type { Account } from "../wallet/account.ts";
import { toSponsorOption } from "../wallet/sponsorship.ts";
import type { AccountData } from "./account-data.ts";

const { columns } = ACCOUNT_LABELS;

const formatAmount = (units: string, { decimals }: Readiness["token"]): string =>
  shortenNumber(formatUnits(BigInt(units), decimals));

export function Balances({ data: { etherWei, tokenUnits, scorebank, readiness } }: { readonly data: AccountData }) {
  const { symbol } = readiness.token;
  const figures = [
    [ACCOUNT_LABELS.ether, shortenNumber(formatEther(etherWei)), "ETH"],
    [ACCOUNT_LABELS.token, formatAmount(tokenUnits.toString(), readiness.token), symbol],
    [ACCOUNT_LABELS.scorebank, formatNumber(scorebank.score), ACCOUNT_LABELS.points],
  ] as const;
  return (
    <dl class="figures" aria-label={ACCOUNT_LABELS.balances}>
      {figures.map(([label, value, unit]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <b>{value}</b>
            {` ${unit}`}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface SectionProps {
  readonly account: Account;
  readonly data: AccountData;
  readonly onChanged: () => void;
}

export function PendingScores({ account, data, onChanged }: SectionProps) {
  const { pending } = data.scorebank;
  return (
    <section class="section" aria-labelledby="pending-title">
      <h2 id="pending-title">{ACCOUNT_LABELS.pending}</h2>
      {pending.length === 0 ? (
        <EmptyState>{ACCOUNT_LABELS.noPending}</EmptyState>
      ) : (
        <Table<Scorebank["pending"][number]>
          label={ACCOUNT_LABELS.pending}
          rows={pending}
          toKey={({ sessionId }) => sessionId}
          columns={[
            { key: "game", title: columns.game, cell: ({ gameSlug }) => findGame(gameSlug)?.title ?? gameSlug },
            {
              key: "points",
              title: columns.points,
              isNumber: true,
              cell: ({ scoreDelta }) => formatNumber(scoreDelta),
            },
            {
              key: "action",
              title: ACCOUNT_LABELS.action,
              cell: ({ sessionId, scoreDelta }) => (
                <ActionButton
                  label={ACCOUNT_LABELS.snapshot}
                  description={`${scoreDelta} ${ACCOUNT_LABELS.points}`}
                  isQuiet
                  onClick={async () => {
                    await snapshotScore({ client: account.client, sessionId, ...toSponsorOption() });
                    onChanged();
                  }}
                />
              ),
            },
          ]}
        />
      )}
    </section>
  );
}

export function PayoutState({ readiness }: { readonly readiness: Readiness }) {
  const { ready, amount, token, reasons, nextEligibleAt, caps } = readiness;
  return (
    <section class="section" aria-labelledby="payout-title">
      <h2 id="payout-title">{ACCOUNT_LABELS.payout}</h2>
      {ready ? (
        <p>{ACCOUNT_LABELS.ready(formatAmount(amount, token), token.symbol)}</p>
      ) : (
        <>
          <p>{ACCOUNT_LABELS.notReady}</p>
          <ul class="reasons">
            {reasons.map((reason) => (
              <li key={reason}>{PAYOUT_REASON_LABELS[reason]}</li>
            ))}
          </ul>
        </>
      )}
      {nextEligibleAt !== null && <p>{ACCOUNT_LABELS.nextAt(formatDateTime(nextEligibleAt))}</p>}
      <p class="quiet">
        {ACCOUNT_LABELS.caps(
          formatAmount(caps.dailyRemaining, token),
          formatAmount(caps.weeklyRemaining, token),
          token.symbol,
        )}
      </p>
    </section>
  );
}

export function PayoutHistory({ payouts }: { readonly payouts: readonly PayoutEntry[] }) {
  return (
    <section class="section" aria-labelledby="history-title">
      <h2 id="history-title">{ACCOUNT_LABELS.history}</h2>
      {payouts.length === 0 ? (
        <EmptyState>{ACCOUNT_LABELS.noHistory}</EmptyState>
      ) : (
        <Table<PayoutEntry>
          label={ACCOUNT_LABELS.history}
          rows={payouts}
          toKey={({ payoutId }) => payoutId}
          columns={[
            { key: "time", title: columns.time, cell: ({ at }) => <time dateTime={at}>{formatDateTime(at)}</time> },
            { key: "points", title: columns.points, isNumber: true, cell: ({ score }) => formatNumber(score) },
            {
              key: "amount",
              title: columns.amount,
              isNumber: true,
              cell: ({ amount, token }) => `${formatAmount(amount, token)} ${token.symbol}`,
            },
            {
              key: "tx",
              title: columns.transaction,
              isMinor: true,
              cell: ({ txHash }) => <Address hex={txHash} kind="tx" />,
            },
          ]}
        />
      )}
    </section>
  );
}
