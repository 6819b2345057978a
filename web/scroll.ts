/** Scroll positions by entry of the browser's history, kept across a reload. */
const STORAGE_KEY = "agent-arcade.scroll";
const ENTRIES_MAX = 50;
/** How long to wait for a page that is still loading its content. */
const RESTORE_MS = 3000;

const getKey = (): string => (history.state as { readonly key?: string } | null)?.key ?? "first";
/** The current entry. At `popstate` the history is already at the next one. */
let currentKey = "first";

function readPositions(): { [key: string]: number } {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "{}") as { [key: string]: number };
  } catch {
    return {};
  }
}

/** Called before another entry is shown. */
export function keepScroll(): void {
  const { [currentKey]: _, ...others } = readPositions();
  const entries = [...Object.entries(others), [currentKey, scrollY]].slice(-ENTRIES_MAX);
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(Object.fromEntries(entries)));
  } catch {
    // Without storage a page starts at its top.
  }
}

/** Scrolls as soon as the page is long enough, unless the reader scrolls first. */
function scrollWhenReady(getTop: () => number | null): void {
  const startMs = performance.now();
  let isTaken = false;
  const take = (): void => {
    isTaken = true;
  };
  for (const type of ["wheel", "touchstart", "keydown", "pointerdown"]) addEventListener(type, take, { once: true });
  const attempt = (): void => {
    const top = getTop();
    if (isTaken) return;
    const isReachable = top !== null && document.documentElement.scrollHeight - innerHeight >= top;
    if (top !== null) scrollTo(0, top);
    if (!isReachable && performance.now() - startMs < RESTORE_MS) requestAnimationFrame(attempt);
  };
  attempt();
}

export function restoreScroll(): void {
  currentKey = getKey();
  const top = readPositions()[currentKey] ?? 0;
  scrollWhenReady(() => top);
}

/** Scrolls a new entry to its top, or to the element of the hash. */
export function startAtTop(hash: string): void {
  currentKey = getKey();
  scrollTo(0, 0);
  if (hash === "") return;
  scrollWhenReady(() => {
    const target = document.getElementById(hash.slice(1));
    return target === null ? null : target.getBoundingClientRect().top + scrollY;
  });
}
