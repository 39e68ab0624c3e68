import { type Crossing, isTree, type Payload } from '@reenact/trace-model';

/** How the blobs and files of a value are compared. */
export type FileComparison =
  /** By what is in them, and not by when a file was made: the platform takes that from a clock that no replay sets. */
  | 'content'
  /** As values that nothing is known of, which is how recordings of before hold them. */
  | 'handle';

/** How a blob or a file with its bytes begins in the text of a payload. */
const fileWithBytes = /"\$":"bytes","class":"(?:Blob|File)"/;

function payloadsOf({ input, outcome }: Pick<Crossing, 'input' | 'outcome'>, part: 'input' | 'outcome'): Payload[] {
  if (part === 'input') return input === undefined ? [] : [input];
  const {
    value,
    error,
    chunks = [],
  } = outcome as {
    readonly value?: Payload;
    readonly error?: Payload;
    readonly chunks?: readonly { readonly value: Payload }[];
  };
  return [value, error, ...chunks.map((chunk) => chunk.value)].filter((payload) => payload !== undefined);
}

/**
 * How to compare with the recorded input of a crossing, or with what it gave. Where the bytes of one of its files are recorded, what is
 * unread of the others is unread in a replay, too.
 */
export function fileComparisonOf(
  crossing: Pick<Crossing, 'lossy' | 'input' | 'outcome'>,
  part: 'input' | 'outcome',
): FileComparison {
  const isUnread = (mark: string): boolean =>
    / handle (?:Blob|File)$/.test(mark) && mark.startsWith('/input') === (part === 'input');
  if (!crossing.lossy.some(isUnread)) return 'content';
  return payloadsOf(crossing, part).some(({ data = '' }) => fileWithBytes.test(data)) ? 'content' : 'handle';
}

function isFile({ $: name, class: className }: Record<string, unknown>): boolean {
  return name === 'bytes' && (className === 'Blob' || className === 'File');
}

/** The tree with its blobs and files as they are compared. The same object where it has none. */
export function withComparableFiles(tree: unknown, comparison: FileComparison): unknown {
  if (Array.isArray(tree)) {
    const items = tree.map((item) => withComparableFiles(item, comparison));
    return items.some((item, index) => item !== tree[index]) ? items : tree;
  }
  if (!isTree(tree)) return tree;
  if (isFile(tree)) {
    const { lastModified: _, ...content } = tree;
    return comparison === 'content' ? content : { $: 'handle', class: tree.class };
  }
  const members = Object.entries(tree).map(([key, item]) => [key, withComparableFiles(item, comparison)] as const);
  return members.some(([key, item]) => item !== tree[key]) ? Object.fromEntries(members) : tree;
}
