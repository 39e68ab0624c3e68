/** Where in a list somebody was. */
export interface ListPlace {
  /** How many runs had been read. */
  readonly runs: number;
  /** The run at the upper edge of the window, and how far below that edge it began, pixels; undefined at the top of the list, which is where what comes is seen. */
  readonly atEdge?: { readonly traceId: string; readonly top: number } | undefined;
  /** The run that keys had led to. */
  readonly focused?: string | undefined;
}

const KEY = 'reenact.listPlace';

function states(): Readonly<Record<string, unknown>> {
  return Object(history.state) as Record<string, unknown>;
}

/** The place that the present entry of the browser's history keeps, as long as the tab is there; a visit by a link has another entry, and none. */
export function readListPlace(): ListPlace | undefined {
  // Nobody but `writeListPlace` writes there.
  return states()[KEY] as ListPlace | undefined;
}

/** Has the present entry of the history keep a place, or forget it. */
export function writeListPlace(place: ListPlace | undefined): void {
  history.replaceState({ ...states(), [KEY]: place }, '');
}

function rowsOfRuns(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('[data-run]')];
}

/** The place where the list is now. */
export function presentListPlace(): ListPlace {
  const rows = rowsOfRuns();
  const row = scrollY === 0 ? undefined : rows.find((each) => each.getBoundingClientRect().bottom > 0);
  const traceId = row?.dataset.run;
  const focused = document.activeElement?.closest<HTMLElement>('[data-run]')?.dataset.run;
  const atEdge = row && traceId !== undefined ? { traceId, top: row.getBoundingClientRect().top } : undefined;
  return { runs: rows.length, atEdge, focused };
}

/** Goes back to a place; one whose run is gone is not looked for. */
export function goToListPlace({ atEdge, focused }: ListPlace): void {
  for (const row of rowsOfRuns()) {
    const { run } = row.dataset;
    if (run === atEdge?.traceId) scrollBy(0, row.getBoundingClientRect().top - (atEdge?.top ?? 0));
    if (run === focused) row.querySelector<HTMLElement>('a')?.focus({ preventScroll: true });
  }
}
