/** The head of a page: title, a sentence about it, and elements next to them. */
import type { ComponentChildren } from "preact";

interface PageHeadProps {
  readonly title: string;
  readonly lead: string;
  readonly children?: ComponentChildren;
}

export const PageHead = ({ title, lead, children }: PageHeadProps) => (
  <div class="page-head">
    <div>
      <h1>{title}</h1>
      <p class="quiet">{lead}</p>
    </div>
    {children}
  </div>
);
