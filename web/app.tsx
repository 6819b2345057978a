/** The frame around every page. */
import { useEffect, useRef } from "preact/hooks";
import { findGame, games } from "../backend/games/index.ts";
import { PixelText } from "./components/pixels.tsx";
import { HomePage } from "./pages/home.tsx";
import { NotFoundPage } from "./pages/not-found.tsx";
import { PracticePage } from "./pages/practice.tsx";
import { WatchPage } from "./pages/watch.tsx";
import { currentPage, type Page, toPracticePath } from "./router.ts";
import { SignIn } from "./wallet/sign-in.tsx";

const getPageTitle = (page: Page): string => {
  if (page.page === "home") return "Agent Arcade";
  if (page.page === "not-found") return "Not found · Agent Arcade";
  const game = findGame(page.slug)?.title ?? page.slug;
  return `${page.page === "watch" ? "Watching" : "Practicing"} ${game} · Agent Arcade`;
};

function PageContent({ page }: { readonly page: Page }) {
  const game = page.page === "watch" || page.page === "practice" ? findGame(page.slug) : undefined;
  if (page.page === "home") return <HomePage />;
  if (page.page === "watch" && game) return <WatchPage key={page.sessionId} game={game} sessionId={page.sessionId} />;
  if (page.page === "practice" && game) return <PracticePage key={page.slug} game={game} />;
  return <NotFoundPage />;
}

export function App() {
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const page = currentPage.value;
  useEffect(() => {
    document.title = getPageTitle(page);
    // The first page keeps the browser's own focus; later ones take it, so that a reader starts at their top.
    if (!isFirst.current) {
      main.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    isFirst.current = false;
  }, [page]);

  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the page
      </button>
      <header class="site-header">
        <a class="wordmark" href="#/">
          <PixelText text="Agent Arcade" />
        </a>
        <nav aria-label="Site">
          {games.map((game) => (
            <a key={game.slug} href={toPracticePath(game.slug)}>
              <span class="nav-long">Practice </span>
              {game.title}
            </a>
          ))}
          <SignIn />
        </nav>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <PageContent page={page} />
      </main>
      <footer class="footer">
        <p>Every run is recorded tick by tick, so anyone can play it again and check its score.</p>
        <p>
          <a href="/api/agent-instructions">Agent instructions</a>
          <a href="/api/games/catalog">Catalog</a>
        </p>
      </footer>
    </>
  );
}
