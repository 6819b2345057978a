import { SITE_PAGES } from "../../domain/site.ts";
import { FOOTER_LINKS, FRAME_LABELS } from "../labels/frame.ts";

export function SiteFooter() {
  return (
    <footer class="footer">
      <p>{FRAME_LABELS.promise}</p>
      <p>
        {FOOTER_LINKS.map(([name, label]) => (
          <a key={name} href={SITE_PAGES[name].path}>
            {label}
          </a>
        ))}
        <a href="/api/agent-instructions">{FRAME_LABELS.instructions}</a>
      </p>
    </footer>
  );
}
