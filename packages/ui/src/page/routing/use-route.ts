import { useEffect, useState } from 'preact/hooks';
import { type Route, readRoute, writeRoute } from './route.ts';

/** The address as it was read or written here last. */
let known = location.hash;

/** The route that the address says now. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const read = (): void => {
      known = location.hash;
      setHash(known);
    };
    addEventListener('hashchange', read);
    // An effect comes behind the first drawing: the address may have changed in between.
    read();
    return () => removeEventListener('hashchange', read);
  }, []);
  return readRoute(hash);
}

/**
 * Goes to a route; in place of the present one where it only says more of that, so that "back" leaves it. Somebody who has gone elsewhere meanwhile
 * is not brought back: of their address the page hears later than of all else.
 */
export function goTo(route: Route, how: 'push' | 'replace' = 'push'): void {
  const hash = writeRoute(route);
  if (how === 'push') location.hash = hash;
  else if (location.hash === known) {
    // As `location.replace`, for which a browser takes longer than for all that is drawn; of this nobody is told.
    history.replaceState(null, '', hash);
    dispatchEvent(new HashChangeEvent('hashchange'));
  }
}
