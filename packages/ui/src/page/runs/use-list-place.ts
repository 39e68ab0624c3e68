import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { type Filters, readRoute, writeRoute } from '../routing/route.ts';
import { goToListPlace, presentListPlace, readListPlace, writeListPlace } from './list-place.ts';

/** Browsers refuse to have their history written much more often. */
const WRITTEN_EVERY_MS = 200;

/** Has the list with these filters be where it was left once it is drawn, and keeps where it is. */
export function useListPlace(filters: Filters, isDrawn: boolean): void {
  const key = writeRoute({ page: 'runs', filters });
  const drawn = useRef<string>(undefined);
  useLayoutEffect(() => {
    if (!isDrawn || drawn.current === key) return;
    drawn.current = key;
    const place = readListPlace();
    if (place !== undefined) goToListPlace(place);
  }, [key, isDrawn]);
  useEffect(() => {
    if (!isDrawn) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const write = (): void => {
      clearTimeout(timer);
      timer = undefined;
      // Of an address that is left already the page hears later than the list scrolls for it.
      if (writeRoute(readRoute(location.hash)) === key) writeListPlace(presentListPlace());
    };
    const writeSoon = (): void => {
      timer ??= setTimeout(write, WRITTEN_EVERY_MS);
    };
    addEventListener('scroll', writeSoon, { passive: true });
    // Before a link is followed, for then it is too late.
    addEventListener('click', write, { capture: true });
    addEventListener('beforeunload', write);
    return () => {
      clearTimeout(timer);
      removeEventListener('scroll', writeSoon);
      removeEventListener('click', write, { capture: true });
      removeEventListener('beforeunload', write);
    };
  }, [key, isDrawn]);
}
