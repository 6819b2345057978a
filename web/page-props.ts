/** What the router gives each page: the parameters of its path and of the query. */
export interface PageProps {
  readonly params: { readonly [name: string]: string };
  readonly query: { readonly [name: string]: string };
}
