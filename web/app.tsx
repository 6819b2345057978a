/** The frame around every page: header, the page itself, footer. */

import { useRef, useState } from "preact/hooks";
import { ErrorBoundary, LocationProvider } from "preact-iso";
import { ErrorState } from "./components/states.tsx";
import { SiteFooter } from "./frame/site-footer.tsx";
import { SiteHeader } from "./frame/site-header.tsx";
import { FRAME_LABELS } from "./labels/frame.ts";
import { PageRouter, SITE_LINKS } from "./router.tsx";

export function App() {
  const main = useRef<HTMLElement>(null);
  const [isBroken, setBroken] = useState(false);
  // The first page keeps the browser's own focus; later ones take it, so that a reader starts at their top.
  const focusPage = (): void => {
    setBroken(false);
    main.current?.focus({ preventScroll: true });
  };
  return (
    <LocationProvider scope={SITE_LINKS}>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        {FRAME_LABELS.skip}
      </button>
      <SiteHeader />
      <main id="main" ref={main} tabIndex={-1}>
        {isBroken ? (
          <ErrorState title={FRAME_LABELS.brokenTitle} text={FRAME_LABELS.brokenText} />
        ) : (
          <ErrorBoundary
            onError={(error) => {
              console.error(error);
              setBroken(true);
            }}
          >
            <PageRouter onRouteChange={focusPage} />
          </ErrorBoundary>
        )}
      </main>
      <SiteFooter />
    </LocationProvider>
  );
}
