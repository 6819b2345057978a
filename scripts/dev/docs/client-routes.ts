/** `client/routes.generated.ts`: the client's run-time table of routes. Its types come from the routes themselves. */
import type { Route } from "../../../backend/http/routing/route.ts";
import type { RouteSpec } from "../../../client/route-spec.ts";

function toRepeat({ idempotent, repeatable }: Route): Pick<RouteSpec, "repeat"> {
  if (idempotent) return { repeat: "keyed" };
  return repeatable === false ? { repeat: "once" } : {};
}

/** The client's row of a route: what to send, and whether it may repeat the request. */
export const toClientRoute = (route: Route): RouteSpec => ({
  method: route.method,
  path: route.path,
  ...(route.access === "public" ? {} : { token: route.access }),
  ...toRepeat(route),
  ...(route.plain ? { plain: true } : {}),
  ...(route.media === undefined ? {} : { text: true }),
});

const renderRow = (route: Route): string => {
  const fields = Object.entries(toClientRoute(route)).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `  ${JSON.stringify(route.name)}: { ${fields.join(", ")} },`;
};

export const renderClientRoutes = (routes: readonly Route[]): string =>
  [
    "// Generated from the service's routes by `npm run docs`.",
    "// biome-ignore-all format: one line for each route",
    'import type { RouteName } from "./api.ts";',
    'import type { RouteSpec } from "./route-spec.ts";',
    "",
    "export const ROUTES: { readonly [name in RouteName]: RouteSpec } = {",
    ...routes.map(renderRow),
    "};",
    "",
  ].join("\n");
