import type { RunComparison } from '@reenact/trace-model/collector-api';
import { counted } from '@reenact/trace-model/words';
import { useMemo, useRef, useState } from 'preact/hooks';
import { StepLineView } from './step-line-view.tsx';
import { visibleSteps } from './visible-steps.ts';

/** More lines than this are shown only once somebody wants them. */
const LINES_FIRST = 1_000;

function withOne<Item>(items: ReadonlySet<Item>, item: Item, isIn: boolean): ReadonlySet<Item> {
  // A part that opens says so, also where it was opened from here.
  if (items.has(item) === isIn) return items;
  const changed = new Set(items);
  if (isIn) changed.add(item);
  else changed.delete(item);
  return changed;
}

/** The crossings of two runs in their order. What differs first is open. */
export function StepList({ found }: { readonly found: RunComparison }) {
  const { steps, differences } = found;
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [shown, setShown] = useState<ReadonlySet<number>>(new Set([1]));
  const [isWhole, setIsWhole] = useState(false);
  const list = useRef<HTMLOListElement>(null);
  const lines = useMemo(() => visibleSteps(steps, opened), [steps, opened]);
  const first = isWhole ? lines : lines.slice(0, LINES_FIRST);
  const goToFirst = (): void => {
    const line = list.current?.querySelector('[data-difference="1"]');
    line?.scrollIntoView({ block: 'center' });
    line?.querySelector<HTMLElement>('summary, a')?.focus({ preventScroll: true });
  };
  return (
    <section>
      <h2>Crossings</h2>
      {differences.length === 0 ? null : (
        <p class="tools">
          <button type="button" class="quiet" onClick={goToFirst}>
            Go to what differs first
          </button>
          <button
            type="button"
            class="quiet"
            onClick={() => setShown(new Set(differences.map((_, index) => index + 1)))}
          >
            Open all that differ
          </button>
          <button type="button" class="quiet" onClick={() => setShown(new Set())}>
            Close all
          </button>
        </p>
      )}
      <ol class="steps" ref={list}>
        {first.map((line) =>
          line.type === 'step' ? (
            <StepLineView
              key={line.place}
              step={line.step}
              found={found}
              isOpen={shown.has(line.step.difference ?? 0)}
              onToggle={(isOpen) => setShown((before) => withOne(before, line.step.difference ?? 0, isOpen))}
            />
          ) : (
            <li
              key={line.place}
              class="step folded"
              style={{ paddingInlineStart: `${Math.min(line.steps[0]?.depth ?? 0, 24)}rem` }}
            >
              <button type="button" class="quiet" onClick={() => setOpened(withOne(opened, line.place, true))}>
                {counted(line.steps.length, 'equal crossing')}
              </button>
            </li>
          ),
        )}
      </ol>
      {first.length < lines.length ? (
        <button type="button" onClick={() => setIsWhole(true)}>
          Show all {lines.length} lines
        </button>
      ) : null}
    </section>
  );
}
