/** While a socket reconnects. The service rejects sockets of pages at other addresses than its own. */
import { SESSION_LABELS } from "../labels/session.ts";
import { MessageCard } from "./message.tsx";

/** This page at the service's own address; null if it is there. */
function findOwnUrl(): string | null {
  const own = document.querySelector<HTMLMetaElement>('meta[property="og:url"]')?.content ?? location.origin;
  const { origin } = new URL(own);
  return origin === location.origin ? null : origin + location.pathname + location.search;
}

export function ReconnectingCard() {
  const url = findOwnUrl();
  return (
    <MessageCard {...(url === null ? {} : { text: SESSION_LABELS.ownAddress })}>
      {SESSION_LABELS.reconnecting}
      {url !== null && <a href={url}>{url}</a>}
    </MessageCard>
  );
}
