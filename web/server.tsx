/** Renders a page on the server. Bundled for Node as `server.js`. */
import { renderToString } from "preact-render-to-string";
import { findEmbed, type PageRenderer } from "../domain/site.ts";
import { App } from "./app.tsx";
import { renderWith } from "./components/loaded-values.ts";
import { EmbedPage } from "./pages/embed.tsx";
import { openPage, shown } from "./router.tsx";
import { setSiteConfig } from "./site-config.ts";
import { setTransport } from "./wallet/service.ts";

/** A page may load more data depending on what it has loaded. */
const ROUNDS_MAX = 3;
const READ_MS = 1000;

export const renderPage: PageRenderer = async ({ url, config, fetch }) => {
  const next = await openPage(url);
  const embedId = findEmbed(url);
  const view = embedId === null ? <App /> : <EmbedPage id={embedId} />;
  const values = new Map<string, unknown>();
  for (let round = 1; ; round += 1) {
    // No `await` between these lines: requests share this state.
    setSiteConfig(config);
    setTransport(fetch);
    shown.value = next;
    const { html, missing } = renderWith(values, () => renderToString(view));
    if (missing.size === 0 || round === ROUNDS_MAX) return { html, values: Object.fromEntries(values) };
    const signal = AbortSignal.timeout(READ_MS);
    const reads = [...missing].map(async ([key, load]) => values.set(key, await load(signal)));
    const results = await Promise.allSettled(reads);
    // The browser tries again what could not be read here, and shows the error.
    if (results.every(({ status }) => status === "rejected")) return { html, values: Object.fromEntries(values) };
  }
};
