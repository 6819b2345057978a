/** The lists of the console: each reads one route and shows it as a table. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { formatGwei } from "viem";
import type { Answer } from "../../client/api.ts";
import { findGame } from "../../games/index.ts";
import { Address } from "../components/address.tsx";
import { DemoAgentMark } from "../components/demo-agent-mark.tsx";
import { Load } from "../components/load.tsx";
import { EmptyState } from "../components/states.tsx";
import { type Column, Table } from "../components/table.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { CONSOLE_LABELS, type ConsoleView, formatKind, formatSigning } from "../labels/console.ts";
import { PHASE_LABELS } from "../labels/session.ts";
import { formatDateTime, formatNumber, shortenHex } from "../labels/shared.ts";
import { client } from "../wallet/service.ts";
import { asOperator } from "./console-store.ts";
import { Findings } from "./findings.tsx";
import { EndSession, TakeScoreBack } from "./session-actions.tsx";
import { TransactionOrders } from "./transaction-orders.tsx";

const POLL_MS = 3000;
const { columns } = CONSOLE_LABELS;

interface ListProps<Row> {
  readonly view: ConsoleView;
  readonly load: (signal: AbortSignal) => Promise<readonly Row[]>;
  readonly inputs?: readonly unknown[];
  readonly toKey: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
}

function List<Row>({ view, load, inputs = [], toKey, columns: shown }: ListProps<Row>) {
  const loaded = useLoaded(null, load, inputs, POLL_MS);
  return (
    <Load loaded={loaded}>
      {(rows) =>
        rows.length === 0 ? (
          <EmptyState>{CONSOLE_LABELS.empty[view]}</EmptyState>
        ) : (
          <Table label={CONSOLE_LABELS.views[view]} columns={shown} rows={rows} toKey={toKey} />
        )
      }
    </Load>
  );
}

const time = (iso: string): ComponentChildren => <time dateTime={iso}>{formatDateTime(iso)}</time>;
const json = (value: unknown): ComponentChildren =>
  value === null ? "–" : <code class="json">{JSON.stringify(value)}</code>;

type Session = Answer<"console.sessions">["sessions"][number];

const SESSION_COLUMNS: readonly Column<Session>[] = [
  { key: "game", title: columns.game, cell: ({ slug }) => findGame(slug)?.title ?? slug },
  {
    key: "who",
    title: columns.who,
    cell: ({ sessionId, agentName, walletAddress, demo }) => (
      <a href={`/watch/${sessionId}`}>
        {agentName ?? (walletAddress ? shortenHex(walletAddress) : CONSOLE_LABELS.anonymous)}
        {demo === true && <DemoAgentMark />}
      </a>
    ),
  },
  { key: "phase", title: columns.phase, isMinor: true, cell: ({ phase }) => PHASE_LABELS[phase] },
  { key: "score", title: columns.score, isNumber: true, cell: ({ score }) => formatNumber(score) },
  { key: "tick", title: columns.tick, isNumber: true, isMinor: true, cell: ({ tick }) => formatNumber(tick) },
  { key: "since", title: columns.since, isMinor: true, cell: ({ startedAt }) => time(startedAt) },
];

const SessionList = () => (
  <List<Session>
    view="sessions"
    load={async (signal) => (await client.console.sessions({}, asOperator(signal))).sessions}
    toKey={({ sessionId }) => sessionId}
    columns={[
      ...SESSION_COLUMNS,
      { key: "seats", title: columns.seats, cell: ({ spectators }) => `${spectators.current}/${spectators.max}` },
      { key: "end", title: columns.action, cell: ({ sessionId }) => <EndSession sessionId={sessionId} /> },
    ]}
  />
);

const WithheldList = () => (
  <>
    <List<Session>
      view="withheld"
      load={async (signal) => (await client.console.withheld({}, asOperator(signal))).sessions}
      toKey={({ sessionId }) => sessionId}
      columns={SESSION_COLUMNS}
    />
    <TakeScoreBack />
  </>
);

type Transaction = Answer<"console.transactions">["transactions"][number];

const TransactionList = () => (
  <List<Transaction>
    view="transactions"
    load={async (signal) => (await client.console.transactions({}, asOperator(signal))).transactions}
    toKey={({ transactionId }) => transactionId}
    columns={[
      { key: "kind", title: columns.kind, cell: ({ kind }) => formatKind(kind) },
      { key: "state", title: columns.status, cell: ({ state }) => CONSOLE_LABELS.transactionStates[state] },
      { key: "nonce", title: columns.nonce, isNumber: true, cell: ({ nonce }) => nonce },
      { key: "hash", title: columns.hash, cell: ({ txHash }) => <Address hex={txHash} kind="tx" /> },
      { key: "block", title: columns.block, isNumber: true, cell: ({ block }) => block ?? "–" },
      { key: "fee", title: columns.fee, isNumber: true, cell: ({ maxFeePerGas }) => formatGwei(BigInt(maxFeePerGas)) },
      { key: "time", title: columns.time, isMinor: true, cell: ({ createdAt }) => time(createdAt) },
      { key: "error", title: columns.error, isMinor: true, cell: ({ lastError }) => lastError ?? "–" },
      {
        key: "order",
        title: columns.action,
        cell: ({ transactionId, nonce, block, status }) =>
          block === null && status !== "failed" && <TransactionOrders transactionId={transactionId} nonce={nonce} />,
      },
    ]}
  />
);

type Payout = Answer<"console.payouts">["payouts"][number];

const PayoutList = () => (
  <List<Payout>
    view="payouts"
    load={async (signal) => (await client.console.payouts({}, asOperator(signal))).payouts}
    toKey={({ payoutId }) => payoutId}
    columns={[
      { key: "wallet", title: columns.wallet, cell: ({ walletAddress }) => <Address hex={walletAddress} /> },
      { key: "status", title: columns.status, cell: ({ status }) => CONSOLE_LABELS.payoutStates[status] ?? status },
      { key: "score", title: columns.score, isNumber: true, cell: ({ score }) => formatNumber(score) },
      { key: "hash", title: columns.hash, cell: ({ txHash }) => (txHash ? <Address hex={txHash} kind="tx" /> : "–") },
      { key: "since", title: columns.since, cell: ({ createdAt }) => time(createdAt) },
      { key: "error", title: columns.error, cell: ({ lastError }) => lastError ?? "–" },
    ]}
  />
);

/** A signing's key starts with the wallet. The rest distinguishes the wallet's signings. */
function SignedFor({ kind, signingKey }: { readonly kind: string; readonly signingKey: string }) {
  const [wallet = "", ...rest] = signingKey.split(":");
  return (
    <span title={signingKey}>
      <Address hex={wallet} /> {formatSigning(kind, rest)}
    </span>
  );
}

type Signing = Answer<"console.signings">["signings"][number];

const SigningList = () => (
  <List<Signing>
    view="signings"
    load={async (signal) => (await client.console.signings({}, asOperator(signal))).signings}
    toKey={({ kind, key }) => `${kind} ${key}`}
    columns={[
      { key: "kind", title: columns.kind, cell: ({ kind }) => <span title={kind}>{formatKind(kind)}</span> },
      { key: "key", title: columns.signedFor, cell: ({ kind, key }) => <SignedFor kind={kind} signingKey={key} /> },
      {
        key: "payload",
        title: columns.payload,
        isMinor: true,
        cell: ({ payloadHash }) => <code>{shortenHex(payloadHash)}</code>,
      },
      { key: "time", title: columns.time, cell: ({ at }) => time(at) },
    ]}
  />
);

type LoggedError = Answer<"console.errors">["errors"][number];

function ErrorList() {
  const requestId = useSignal("");
  const wanted = requestId.value.trim();
  return (
    <>
      <div class="form form-row">
        <label>
          {CONSOLE_LABELS.requestId}
          <input
            type="search"
            value={requestId.value}
            onInput={({ currentTarget }) => {
              requestId.value = currentTarget.value;
            }}
          />
        </label>
      </div>
      <List<LoggedError>
        view="errors"
        load={async (signal) =>
          (await client.console.errors(wanted === "" ? {} : { requestId: wanted }, asOperator(signal))).errors
        }
        inputs={[wanted]}
        toKey={({ requestId: id, at }) => `${id} ${at}`}
        columns={[
          { key: "time", title: columns.time, isMinor: true, cell: ({ at }) => time(at) },
          { key: "route", title: columns.route, cell: ({ method, route }) => `${method} ${route}` },
          { key: "code", title: columns.code, cell: ({ code }) => code },
          { key: "message", title: columns.message, cell: ({ message }) => message },
          { key: "request", title: columns.request, cell: ({ requestId: id }) => <code>{id}</code> },
        ]}
      />
    </>
  );
}

type AuditEntry = Answer<"console.audit">["audit"][number];

const AuditList = () => (
  <List<AuditEntry>
    view="audit"
    load={async (signal) => (await client.console.audit({}, asOperator(signal))).audit}
    toKey={({ auditId }) => auditId}
    columns={[
      { key: "time", title: columns.time, cell: ({ at }) => time(at) },
      { key: "who", title: columns.who, cell: ({ who }) => who },
      { key: "action", title: columns.action, cell: ({ action }) => action },
      { key: "subject", title: columns.subject, cell: ({ subject }) => <code>{subject}</code> },
      { key: "after", title: CONSOLE_LABELS.details, isMinor: true, cell: ({ after }) => json(after) },
    ]}
  />
);

export const VIEWS: { readonly [view in ConsoleView]: () => ComponentChildren } = {
  sessions: SessionList,
  transactions: TransactionList,
  payouts: PayoutList,
  signings: SigningList,
  withheld: WithheldList,
  findings: Findings,
  errors: ErrorList,
  audit: AuditList,
};
