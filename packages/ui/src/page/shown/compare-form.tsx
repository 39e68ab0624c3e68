import { useState } from 'preact/hooks';
import { goTo } from '../routing/use-route.ts';

/** Asks for the run that another one is compared with, by an id. `known`: the id of that one, which stands on the right: it is the one that is asked about. */
export function CompareForm({ known }: { readonly known: string }) {
  const [other, setOther] = useState('');
  return (
    <form
      class="compared"
      onSubmit={(event) => {
        event.preventDefault();
        goTo({ page: 'compare', left: other.trim().toLowerCase(), right: known, exact: false });
      }}
    >
      <label>
        Trace id or span id of the other run{' '}
        <input
          type="text"
          required
          pattern="\s*([0-9a-fA-F]{16}|[0-9a-fA-F]{32})\s*"
          title="32 hex digits of a trace, or 16 of a span; a span of a run compares that part of it"
          size={34}
          spellcheck={false}
          autocomplete="off"
          value={other}
          onInput={(event) => setOther(event.currentTarget.value)}
        />
      </label>{' '}
      <button type="submit">Compare</button>
    </form>
  );
}
