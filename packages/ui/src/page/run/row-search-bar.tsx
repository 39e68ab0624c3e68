import type { RowSearch } from './timeline-layout.ts';

interface SearchProps {
  readonly search: RowSearch;
  readonly foundCount: number | undefined;
  readonly onSearch: (search: RowSearch) => void;
  /** Goes to the first that was found. */
  readonly onGo: () => void;
}

/** Narrows the tree to what is looked for: of thousands of rows nobody reads more than some. */
export function RowSearchBar({ search, foundCount, onSearch, onGo }: SearchProps) {
  return (
    <search>
      <form
        class="row-search"
        onSubmit={(event) => {
          event.preventDefault();
          onGo();
        }}
      >
        <input
          type="search"
          aria-label="Words in the rows of this run"
          placeholder="Words in these rows"
          value={search.words}
          onInput={(event) => onSearch({ ...search, words: event.currentTarget.value })}
        />
        <label>
          <input
            type="checkbox"
            checked={search.isFailedOnly}
            onChange={(event) => onSearch({ ...search, isFailedOnly: event.currentTarget.checked })}
          />{' '}
          only what failed
        </label>
        <span class="faint" role="status">
          {foundCount === undefined ? '' : `${foundCount} found`}
        </span>
      </form>
    </search>
  );
}
