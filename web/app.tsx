/** The frame around every page: header, the page itself, footer. */
import { Component, type ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ErrorState } from "./components/states.tsx";
import { SiteFooter } from "./frame/site-footer.tsx";
import { SiteHeader } from "./frame/site-header.tsx";
import { FRAME_LABELS } from "./labels/frame.ts";
import { isTurning, shown } from "./router.tsx";

export function App() {
  const main = useRef<HTMLElement>(null);
  const { Page, path, params, query } = shown.value;
  const firstPath = useRef(path);
  // The first page keeps the browser's focus. Later pages take it, so that a screen reader starts at the top.
  useEffect(() => {
    if (path !== firstPath.current) main.current?.focus({ preventScroll: true });
    firstPath.current = "";
  }, [path]);
  return (
    <>
      <a class="skip" href="#main">
        {FRAME_LABELS.skip}
      </a>
      <SiteHeader path={path} />
      <main id="main" ref={main} tabIndex={-1} aria-busy={isTurning.value}>
        <noscript>
          <p class="notice">{FRAME_LABELS.noScript}</p>
        </noscript>
        <Boundary key={path}>{Page === null ? <NotLoaded /> : <Page params={params} query={query} />}</Boundary>
      </main>
      <SiteFooter />
    </>
  );
}

/** A page whose script did not load: reload the whole page. */
const NotLoaded = () => (
  <ErrorState title={FRAME_LABELS.notLoadedTitle} text={FRAME_LABELS.notLoadedText} onRetry={() => location.reload()} />
);

/** Shows an error in place of a page that throws. */
class Boundary extends Component<{ readonly children: ComponentChildren }, { readonly isBroken: boolean }> {
  override state = { isBroken: false };

  static override getDerivedStateFromError(): { readonly isBroken: boolean } {
    return { isBroken: true };
  }

  override componentDidCatch(error: unknown): void {
    console.error(error);
  }

  render() {
    if (!this.state.isBroken) return this.props.children;
    return (
      <ErrorState title={FRAME_LABELS.brokenTitle} text={FRAME_LABELS.brokenText} onRetry={() => location.reload()} />
    );
  }
}
