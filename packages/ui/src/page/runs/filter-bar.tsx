import { useState } from 'preact/hooks';
import { LAST_MS } from '../routing/list-query.ts';
import { type Filters, withFilter } from '../routing/route.ts';

interface FilterBarProps {
  readonly filters: Filters;
  readonly onFilters: (filters: Filters) => void;
}

interface Choice {
  readonly name: string;
  readonly label: string;
  readonly values: readonly (readonly [value: string, shown: string])[];
}

const choices: readonly Choice[] = [
  { name: 'last', label: 'Started', values: Object.keys(LAST_MS).map((last) => [last, `in the last ${last}`]) },
  {
    name: 'status',
    label: 'Ended',
    values: [
      ['ok', 'ok'],
      ['error', 'in error'],
    ],
  },
  {
    name: 'replayability',
    label: 'Replayable',
    values: [
      ['full', 'full'],
      ['partial', 'partial'],
      ['cold', 'cold'],
    ],
  },
  {
    name: 'replays',
    label: 'Replays',
    values: [
      ['include', 'shown, too'],
      ['only', 'only'],
    ],
  },
];

const inBar: ReadonlySet<string> = new Set(['text', ...choices.map(({ name }) => name)]);

function Chooser({ choice, filters, onFilters }: FilterBarProps & { readonly choice: Choice }) {
  const { name, label, values } = choice;
  return (
    <label>
      {label}
      <select
        value={filters[name] ?? ''}
        onChange={(event) => onFilters(withFilter(filters, name, event.currentTarget.value))}
      >
        <option value="">{name === 'replays' ? 'left out' : 'any'}</option>
        {values.map(([value, shown]) => (
          <option key={value} value={value}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What the list is narrowed to: words, a few choices, and whatever else was pointed at. */
export function FilterBar({ filters, onFilters }: FilterBarProps) {
  const named = filters.text ?? '';
  const [typed, setTyped] = useState({ over: named, text: named });
  // Where the address names other words, they stand in place of what was typed. An effect would come late, and take away what was typed by then.
  const text = typed.over === named ? typed.text : named;
  if (typed.over !== named) setTyped({ over: named, text });
  const others = Object.entries(filters).filter(([name]) => !inBar.has(name));
  return (
    <search class="filters">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onFilters(withFilter(filters, 'text', text.trim()));
        }}
      >
        <input
          type="search"
          aria-label="Words in what was said"
          placeholder={'Words in what was said, "a phrase", begin*'}
          value={text}
          onInput={(event) => setTyped({ over: named, text: event.currentTarget.value })}
          onSearch={(event: Event) => {
            if ((event.currentTarget as HTMLInputElement).value === '') onFilters(withFilter(filters, 'text', ''));
          }}
        />
        {choices.map((choice) => (
          <Chooser key={choice.name} choice={choice} filters={filters} onFilters={onFilters} />
        ))}
        {others.map(([name, value]) => (
          <button
            key={name}
            type="button"
            class="chip"
            aria-label={`Take away ${name} ${value}`}
            onClick={() => onFilters(withFilter(filters, name, ''))}
          >
            {name} <strong>{value}</strong> ✕
          </button>
        ))}
      </form>
    </search>
  );
}
