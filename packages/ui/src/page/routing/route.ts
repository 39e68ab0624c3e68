/** What the page shows, as the part of the address behind `#` says it; so an address can be sent to somebody. */
export type Route =
  | { readonly page: 'runs'; readonly filters: Filters }
  | { readonly page: 'run'; readonly id: string; readonly spanId: string | undefined }
  | ComparisonRoute
  | { readonly page: 'drift'; readonly filters: Filters };

/** Two runs side by side, by their ids; one that is not known yet is empty. */
export interface ComparisonRoute {
  readonly page: 'compare';
  readonly left: string;
  readonly right: string;
  /** Whether also what a provider makes anew for every answer is compared. */
  readonly exact: boolean;
}

/** Filters of a list by the names that the API has for them, and `last`: how far back, such as `24h`. */
export type Filters = Readonly<Record<string, string>>;

function filtersOf(query: string): Filters {
  return Object.fromEntries([...new URLSearchParams(query)].filter(([, value]) => value !== ''));
}

/** A part of an address as it was before it was written there; as it stands where somebody cut or mistyped it. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Reads the part of an address behind `#`, with or without it. What is no page of ours is the list of runs. */
export function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split(/\?(.*)/s);
  const [page, id = '', spanId] = path.split('/').filter((part) => part !== '');
  if (page === 'runs' && id !== '') return { page: 'run', id: decoded(id), spanId: spanId && decoded(spanId) };
  if (page === 'compare') {
    return { page, left: decoded(id), right: decoded(spanId ?? ''), exact: filtersOf(query).exact === 'true' };
  }
  return { page: page === 'drift' ? 'drift' : 'runs', filters: filtersOf(query) };
}

/** Writes an address, with the `#`. */
export function writeRoute(route: Route): string {
  if (route.page === 'run') {
    const span = route.spanId === undefined ? '' : `/${encodeURIComponent(route.spanId)}`;
    return `#/runs/${encodeURIComponent(route.id)}${span}`;
  }
  if (route.page === 'compare') {
    const ids = [route.left, route.right].filter((id) => id !== '').map(encodeURIComponent);
    return `#/${['compare', ...ids].join('/')}${route.exact ? '?exact=true' : ''}`;
  }
  const query = new URLSearchParams(route.filters).toString();
  return `#/${route.page}${query === '' ? '' : `?${query}`}`;
}

/** The filters with another value of one; an empty one takes it away. */
export function withFilter(filters: Filters, name: string, value: string): Filters {
  const others = Object.entries(filters).filter(([key]) => key !== name);
  return Object.fromEntries(value === '' ? others : [...others, [name, value]]);
}
