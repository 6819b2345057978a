/** Shows in words what a wallet is about to sign. Uses the browser's modal dialog. */
import { useEffect, useRef } from "preact/hooks";
import { formatEther } from "viem";
import { formatNumber, shortenHex } from "../labels/shared.ts";
import { SIGNING_LABELS } from "../labels/signing.ts";
import type { DetailRow, TransactionDetails } from "../wallet/describe.ts";
import {
  type PendingRequest,
  pendingRequest,
  type ShownCall,
  type SigningRequest,
} from "../wallet/signing-requests.ts";
import { FullText } from "./full-text.tsx";

/** Rendered once on every page with a wallet. */
export function SigningDialog() {
  const pending = pendingRequest.value;
  return pending === null ? null : <OpenDialog pending={pending} />;
}

function OpenDialog({ pending }: { readonly pending: PendingRequest }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const focused = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    return () => {
      dialog.current?.close();
      // The browser does not do this for a dialog that is removed at once.
      focused?.focus();
      // Still there when the page is left, for example by the browser's Back button.
      pendingRequest.peek()?.answer(false);
    };
  }, []);
  const { request, address, answer } = pending;
  return (
    <dialog
      ref={dialog}
      class="signing"
      aria-labelledby="signing-title"
      onCancel={(event) => {
        event.preventDefault();
        answer(false);
      }}
    >
      <h2 id="signing-title">{getTitle(request)}</h2>
      <p class="quiet">{getIntro(request)}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard */}
      <section class="signing-body" tabIndex={0} aria-label={SIGNING_LABELS.titles[request.kind]}>
        <dl class="details">
          <Detail label={SIGNING_LABELS.account} text={shortenHex(address)} fullText={address} />
        </dl>
        <RequestDetails request={request} />
      </section>
      <div class="signing-actions">
        {/* The second click of a double click may reach the next request's dialog. */}
        <button type="button" class="button" onClick={({ detail }) => detail < 2 && answer(true)}>
          {SIGNING_LABELS.accept[request.kind]}
        </button>
        <button type="button" class="button button-quiet" onClick={() => answer(false)}>
          {SIGNING_LABELS.reject}
        </button>
      </div>
    </dialog>
  );
}

/** What the user is about to do; a general title if unknown. */
function getTitle(request: SigningRequest): string {
  const [call, ...others] = request.kind === "transaction" ? request.calls : [];
  const intent = request.kind === "typedData" ? request.intent : others.length === 0 ? (call?.intent ?? null) : null;
  return intent ?? SIGNING_LABELS.titles[request.kind];
}

const getIntro = (request: SigningRequest): string =>
  request.kind === "transaction" && request.calls.length > 1
    ? SIGNING_LABELS.introOfSeveral
    : SIGNING_LABELS.intro[request.kind];

function RequestDetails({ request }: { readonly request: SigningRequest }) {
  switch (request.kind) {
    case "message":
      return <pre class="signing-text">{request.text}</pre>;
    case "typedData":
      return <TypedDataDetails {...request} />;
    case "transaction":
      return (
        <>
          {request.calls.map((call, index) => (
            <CallView key={call.transaction.data} call={call} place={index + 1} count={request.calls.length} />
          ))}
        </>
      );
  }
}

interface CallViewProps {
  readonly call: ShownCall;
  readonly place: number;
  readonly count: number;
}

const CallView = ({ call: { intent, transaction, signed }, place, count }: CallViewProps) => (
  <>
    {count > 1 && <h3>{SIGNING_LABELS.callOf(place, count, intent)}</h3>}
    <TransactionView transaction={transaction} />
    {signed !== null && (
      <>
        <h3>{SIGNING_LABELS.signedByService}</h3>
        <TypedDataDetails {...signed} />
      </>
    )}
  </>
);

const formatWei = (wei: bigint): string => (wei === 0n ? SIGNING_LABELS.noValue : `${formatEther(wei)} ETH`);

interface TypedDataDetailsProps {
  readonly primaryType: string;
  readonly domain?: string;
  readonly rows: readonly DetailRow[];
}

function TypedDataDetails({ primaryType, domain, rows }: TypedDataDetailsProps) {
  return (
    <dl class="details">
      {domain !== undefined && <Detail label={SIGNING_LABELS.domain} text={domain} />}
      <Detail label={SIGNING_LABELS.message} text={primaryType} isCode />
      <Rows rows={rows} />
    </dl>
  );
}

function TransactionView({ transaction }: { readonly transaction: TransactionDetails }) {
  const { contractName, to, functionName, rows, value, gas, data } = transaction;
  return (
    <>
      <dl class="details">
        <Detail
          label={SIGNING_LABELS.contract}
          text={`${contractName ?? SIGNING_LABELS.unknownContract} (${shortenHex(to)})`}
          fullText={to}
        />
        <Detail label={SIGNING_LABELS.functionName} text={functionName} isCode />
        <Detail label={SIGNING_LABELS.value} text={formatWei(value)} />
        <Detail
          label={SIGNING_LABELS.gas}
          text={gas === null ? SIGNING_LABELS.gasUnknown : formatNumber(Number(gas))}
        />
      </dl>
      <h3>{SIGNING_LABELS.arguments}</h3>
      {rows.length === 0 ? (
        <p class="quiet">{SIGNING_LABELS.noArguments}</p>
      ) : (
        <dl class="details">
          <Rows rows={rows} />
        </dl>
      )}
      <details class="signing-data">
        <summary>{SIGNING_LABELS.data}</summary>
        <code>{data}</code>
      </details>
    </>
  );
}

const Rows = ({ rows }: { readonly rows: readonly DetailRow[] }) => (
  <>
    {rows.map(({ name, label, text, fullText }) => (
      <Detail key={name} label={label} name={name} text={text} fullText={fullText} />
    ))}
  </>
);

interface DetailProps {
  readonly label: string;
  /** The field's own name, if it has one. */
  readonly name?: string;
  readonly text: string;
  readonly fullText?: string | null;
  readonly isCode?: boolean;
}

function Detail({ label, name, text, fullText = null, isCode = false }: DetailProps) {
  return (
    <div>
      <dt>
        {label}
        {name !== undefined && <code>{name}</code>}
      </dt>
      <dd>{fullText !== null ? <FullText text={text} fullText={fullText} /> : isCode ? <code>{text}</code> : text}</dd>
    </div>
  );
}
