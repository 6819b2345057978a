/** The content of the explorer's pages. It needs viem, so it is loaded after the page. */
import { toSitePath } from "../../domain/site.ts";
import { Address } from "../components/address.tsx";
import { EmptyState, ErrorState } from "../components/states.tsx";
import { EXPLORER_LABELS } from "../labels/explorer.ts";
import type { DetailRow } from "../wallet/describe.ts";
import { type ChainView, type DecodedEvent, EVENT_BLOCKS } from "./read.ts";

export { readAddress, readTransaction } from "./read.ts";

/** `view`: null if the chain has no such transaction. */
export function Found({ view }: { readonly view: ChainView | null }) {
  if (view === null) return <ErrorState title={EXPLORER_LABELS.missing} text={EXPLORER_LABELS.noTransaction} />;
  const { rows, call, agentId, events } = view;
  return (
    <>
      {agentId !== null && <a href={toSitePath("agent", { id: agentId })}>{EXPLORER_LABELS.agent}</a>}
      <DetailRows rows={rows} />
      {call !== null && (
        <section class="section">
          <h2>{EXPLORER_LABELS.call}</h2>
          <h3>{call.name}</h3>
          <DetailRows rows={call.rows} />
          <details class="signing-data">
            <summary>{EXPLORER_LABELS.bytes(call.data.length / 2 - 1)}</summary>
            <code>{call.data}</code>
          </details>
        </section>
      )}
      <section class="section">
        <h2>{call === null ? EXPLORER_LABELS.latestEvents(EVENT_BLOCKS) : EXPLORER_LABELS.events}</h2>
        <Events events={events} isOfTransaction={call !== null} />
      </section>
    </>
  );
}

/** An address is a link to its page. Everything else is shown in full. */
function Value({ text, fullText }: Pick<DetailRow, "text" | "fullText">) {
  const full = fullText ?? text;
  if (/^0x[0-9a-f]{40}$/i.test(full)) return <Address hex={full} name={text.startsWith("0x") ? null : text} />;
  return <>{text.startsWith("0x") || fullText === null ? full : `${text} (${full})`}</>;
}

const DetailRows = ({ rows }: { readonly rows: readonly DetailRow[] }) => (
  <dl class="details">
    {rows.map(({ name, label, text, fullText }) => (
      <div key={name}>
        <dt>
          {label}
          <code>{name}</code>
        </dt>
        <dd>
          <Value text={text} fullText={fullText} />
        </dd>
      </div>
    ))}
  </dl>
);

interface EventsProps {
  readonly events: readonly DecodedEvent[];
  /** The page shows only the events of one transaction. */
  readonly isOfTransaction: boolean;
}

function Events({ events, isOfTransaction }: EventsProps) {
  if (events.length === 0) return <EmptyState>{EXPLORER_LABELS.noEvents}</EmptyState>;
  return (
    <ul class="chain-events">
      {events.map(({ key, name, address, contractName, txHash, block, rows }) => (
        <li key={key} class="panel">
          <h3>{name}</h3>
          <p class="quiet">
            <Address hex={address} name={contractName} />
            {!isOfTransaction && (
              <>
                {` · ${EXPLORER_LABELS.block} ${block} · `}
                <Address hex={txHash} kind="tx" />
              </>
            )}
          </p>
          <DetailRows rows={rows} />
        </li>
      ))}
    </ul>
  );
}
