import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ComparePage } from './compare/compare-page.tsx';
import { DriftPage } from './drift/drift-page.tsx';
import { type Access, storeAccess, storedAccess } from './reading/access.ts';
import { AccessContext } from './reading/access-context.ts';
import { CollectorContext, collectorFor } from './reading/collector-context.ts';
import { type Route, writeRoute } from './routing/route.ts';
import { useRoute } from './routing/use-route.ts';
import { RunPage } from './run/run-page.tsx';
import { RunsPage } from './runs/runs-page.tsx';
import { DrawingGuard } from './shown/drawing-guard.tsx';

function Shown({ route }: { readonly route: Route }) {
  switch (route.page) {
    case 'run':
      return <RunPage id={route.id} spanId={route.spanId} />;
    case 'compare':
      return <ComparePage route={route} />;
    case 'drift':
      return <DriftPage filters={route.filters} />;
    default:
      return <RunsPage filters={route.filters} />;
  }
}

function Navigation({ route }: { readonly route: Route }) {
  const current = (page: Route['page']) => (route.page === page ? 'page' : undefined);
  return (
    <nav class="top">
      <a class="brand" href="#/">
        Reenact
      </a>
      <a href={writeRoute({ page: 'runs', filters: {} })} aria-current={current('runs')}>
        Runs
      </a>
      <a href={writeRoute({ page: 'drift', filters: {} })} aria-current={current('drift')}>
        Drift
      </a>
    </nav>
  );
}

/** What is drawn anew as a whole where it changes: not a list that is narrowed, nor a run of which another crossing is looked at. */
function placeOf(route: Route): string {
  if (route.page === 'compare') return `compare ${route.left} ${route.right}`;
  return route.page === 'run' ? `run ${route.id}` : route.page;
}

/** Has keys and what reads aloud go on at the beginning of a page that was gone to: the link that led there is gone. */
function useFocusAtPlace(place: string): void {
  const before = useRef(place);
  useEffect(() => {
    if (before.current === place) return;
    before.current = place;
    const main = document.querySelector('main');
    main?.setAttribute('tabindex', '-1');
    main?.focus({ preventScroll: true });
  }, [place]);
}

/** All of the page: what the address names, of the collector that served it. */
export function Page() {
  const route = useRoute();
  useFocusAtPlace(placeOf(route));
  const [access, setAccess] = useState(storedAccess);
  const collector = useMemo(() => collectorFor(access), [access]);
  const give = (given: Access): void => {
    storeAccess(given);
    setAccess(given);
  };
  return (
    <AccessContext.Provider value={{ access, give }}>
      <CollectorContext.Provider value={collector} key={JSON.stringify(access)}>
        <Navigation route={route} />
        <DrawingGuard key={placeOf(route)}>
          <Shown route={route} />
        </DrawingGuard>
      </CollectorContext.Provider>
    </AccessContext.Provider>
  );
}
