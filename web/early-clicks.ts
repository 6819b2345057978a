/**
 * Inlined into the page: runs before the page's script arrives, and remembers the last button that was clicked. Links
 * and forms work without scripts.
 */
let last: HTMLButtonElement | null = null;

const remember = ({ target }: Event): void => {
  if (target instanceof Element) last = target.closest<HTMLButtonElement>('button[type="button"]') ?? last;
};
addEventListener("click", remember, true);

/** The button; null if none was clicked. Stops remembering. */
window.takeEarlyClick = () => {
  removeEventListener("click", remember, true);
  return last;
};
