import { HttpResponse } from "../../routing/route.ts";

/** A picture changes with names and tiers: viewers may cache it for a while. */
export const createSvgResponse = (svg: string): HttpResponse =>
  new HttpResponse(200, svg, {
    "Content-Type": "image/svg+xml; charset=utf-8",
    "Cache-Control": "public, max-age=300",
    // Opened as a page, it must not run scripts.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  });
