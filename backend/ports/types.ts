/** Types that several ports share. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}
export interface PageQuery {
  readonly page: number;
  readonly limit: number;
}
