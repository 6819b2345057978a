/** The frame around every page. */
import { useEffect, useRef } from "preact/hooks";
import { findGame, games } from "../backend/games/index.ts";
import { SignIn } from "./access/sign-in.tsx";
import { HomePage } from "./pages/home.tsx";
import { NowherePage } from "./pages/nowhere.tsx";
import { PractisePage } from "./pages/practise.tsx";
import { WatchPage } from "./pages/watch.tsx";
import { Pixels } from "./parts/pixels.tsx";
import { currentPage, type Page, practisePath } from "./router.ts";

const titleOf = (page: Page): string => {
  if (page.page === "home") return "Agent Arcade";
  if (page.page === "nowhere") return "Not found · Agent Arcade";
  const game = findGame(page.slug)?.title ?? page.slug;
  return `${page.page === "watch" ? "Watching" : "Practising"} ${game} · Agent Arcade`;
};

function PageOf({ page }: { readonly page: Page }) {
  const game = page.page === "watch" || page.page === "practise" ? findGame(page.slug) : undefined;
  if (page.page === "home") return <HomePage />;
  if (page.page === "watch" && game) return <WatchPage key={page.sessionId} game={game} sessionId={page.sessionId} />;
  if (page.page === "practise" && game) return <PractisePage key={page.slug} game={game} />;
  return <NowherePage />;
}

export function App() {
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const page = currentPage.value;
  useEffect(() => {
    document.title = titleOf(page);
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
      <header class="masthead">
        <a class="wordmark" href="#/">
          <Pixels text="Agent Arcade" />
        </a>
        <nav aria-label="Site">
          {games.map((game) => (
            <a key={game.slug} href={practisePath(game.slug)}>
              <span class="nav-long">Practise </span>
              {game.title}
            </a>
          ))}
          <SignIn />
        </nav>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <PageOf page={page} />
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
