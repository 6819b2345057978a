/** The head of every page: the name of the site, its pages, the signed-in wallet. */
import { SITE_NAME, SITE_PAGES, toSitePath } from "../../domain/site.ts";
import { games } from "../../games/index.ts";
import { PixelText } from "../components/pixels.tsx";
import { FRAME_LABELS, NAVIGATION } from "../labels/frame.ts";
import { SignIn } from "../wallet/sign-in.tsx";

/** `path`: the current page's. */
export function SiteHeader({ path }: { readonly path: string }) {
  const toCurrent = (href: string) => (path === href ? ({ "aria-current": "page" } as const) : {});
  return (
    <header class="site-header">
      <a class="wordmark" href="/" aria-label={SITE_NAME}>
        <PixelText text={SITE_NAME} />
      </a>
      <nav aria-label={FRAME_LABELS.navigation}>
        {games.map(({ slug, title }) => {
          const href = toSitePath("game", { game: slug });
          return (
            <a key={slug} href={href} {...toCurrent(href)}>
              {title}
            </a>
          );
        })}
        {NAVIGATION.map(([name, label]) => (
          <a key={name} href={SITE_PAGES[name].path} {...toCurrent(SITE_PAGES[name].path)}>
            {label}
          </a>
        ))}
        <SignIn />
      </nav>
    </header>
  );
}
