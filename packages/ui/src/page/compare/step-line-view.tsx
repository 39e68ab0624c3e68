import { statusWords } from '@reenact/recordings/compare/diff-wording';
import type {
  ComparedDifference,
  ComparedPlace,
  ComparedPlaces,
  ComparedStep,
  RunComparison,
} from '@reenact/trace-model/collector-api';
import { counted } from '@reenact/trace-model/words';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { writeRoute } from '../routing/route.ts';
import { MarkedWords } from '../shown/changed-words.tsx';
import { unescapedJson } from '../words/unescaped-json.ts';
import { wordChanges } from '../words/word-changes.ts';

const signs: Readonly<Record<ComparedStep['status'], string>> = {
  equal: '=',
  'input-changed': '~',
  'outcome-changed': '~',
  'input-and-outcome-changed': '~',
  removed: '−',
  inserted: '+',
};

/** `left` and `right` by the letters that the command line has for them, too. */
const sides = [
  ['a', 'left'],
  ['b', 'right'],
] as const;

interface ValueProps {
  readonly letter: string;
  readonly value: string | undefined;
  readonly children?: ComponentChildren;
}

function ValueCell({ letter, value, children }: ValueProps) {
  return (
    <td data-label={letter}>
      {value === undefined ? <span class="faint">absent</span> : <code>{children ?? value}</code>}
    </td>
  );
}

function PlaceRow({ part, place }: { readonly part: string; readonly place: ComparedPlace }) {
  const { path, rightPath } = place;
  const [left, right] = [place.left, place.right].map((value) => (value === undefined ? value : unescapedJson(value)));
  const changes = useMemo(
    () => (left === undefined || right === undefined ? undefined : wordChanges(left, right)),
    [left, right],
  );
  return (
    <tr>
      <th scope="row">
        {part} <code>{path}</code>
        {rightPath === undefined ? null : (
          <>
            , in b <code>{rightPath}</code>
          </>
        )}
      </th>
      <ValueCell letter="a" value={left}>
        {changes === undefined ? undefined : <MarkedWords changes={changes} side="before" />}
      </ValueCell>
      <ValueCell letter="b" value={right}>
        {changes === undefined ? undefined : <MarkedWords changes={changes} side="after" />}
      </ValueCell>
    </tr>
  );
}

function restOf(part: string, found: ComparedPlaces | undefined): string[] {
  const more = found === undefined ? 0 : found.total - found.places.length;
  return more === 0 ? [] : [`${counted(more, 'more place')} of the ${part}`];
}

/** Where a crossing differs, with both values. */
function PlacesView({ difference, label }: { readonly difference: ComparedDifference; readonly label: string }) {
  const { input, outcome } = difference;
  const rest = [...restOf('input', input), ...restOf('outcome', outcome)];
  return (
    <>
      <table class="places">
        <caption class="unseen">Where {label} differs</caption>
        <thead>
          <tr>
            <th scope="col">place</th>
            <th scope="col">a</th>
            <th scope="col">b</th>
          </tr>
        </thead>
        <tbody>
          {input?.places.map((place, index) => (
            <PlaceRow key={`input ${index}`} part="input" place={place} />
          ))}
          {outcome?.places.map((place, index) => (
            <PlaceRow key={`outcome ${index}`} part="outcome" place={place} />
          ))}
        </tbody>
      </table>
      {rest.length === 0 ? null : <p class="faint">And {rest.join(' and ')}.</p>}
    </>
  );
}

interface StepProps {
  readonly step: ComparedStep;
  readonly found: RunComparison;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

function Heading({ step, words }: { readonly step: ComparedStep; readonly words: string }) {
  const [kind, name = ''] = step.name.split(/:(.*)/s);
  return (
    <>
      <span class="sign" aria-hidden="true">
        {step.moved === true && step.status === 'equal' ? '>' : signs[step.status]}
      </span>{' '}
      <span class={`kind ${kind}`}>{kind}</span> <span class="name">{name}</span>{' '}
      <span class={step.status === 'equal' && step.moved !== true ? 'faint' : 'badge'}>{words}</span>{' '}
      {step.difference === 1 ? <span class="badge bad">first</span> : null}
    </>
  );
}

/** One crossing of two runs: what became of it, where it is in each, and where it differs. */
export function StepLineView({ step, found, isOpen, onToggle }: StepProps) {
  const difference = step.difference === undefined ? undefined : found.differences[step.difference - 1];
  const words = statusWords(difference ?? { status: step.status, moved: step.moved }) || 'equal';
  const label = step.name.replace(':', ' ');
  const heading = <Heading step={step} words={words} />;
  const hasPlaces = difference?.input !== undefined || difference?.outcome !== undefined;
  return (
    <li
      class={`step ${step.status}`}
      style={{ paddingInlineStart: `${Math.min(step.depth, 24)}rem` }}
      data-difference={step.difference}
    >
      {step.depth === 0 ? null : <span class="unseen">{step.depth} deep: </span>}
      <div class="line">
        {hasPlaces && difference !== undefined ? (
          <details open={isOpen} onToggle={(event) => onToggle(event.currentTarget.open)}>
            <summary>{heading}</summary>
            {isOpen ? <PlacesView difference={difference} label={label} /> : null}
          </details>
        ) : (
          <div class="told">{heading}</div>
        )}
        <span class="ways">
          {sides.map(([letter, side]) => {
            const spanId = step[side];
            if (spanId === undefined) return null;
            const { traceId } = found[side];
            return (
              <a
                key={side}
                href={writeRoute({ page: 'run', id: traceId, spanId })}
                aria-label={`${label} in ${letter}`}
              >
                {letter}
              </a>
            );
          })}
        </span>
      </div>
    </li>
  );
}
