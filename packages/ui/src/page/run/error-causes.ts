/** As many are named: a recording may hold more than anybody reads, and its exact error has them all. */
const CAUSES_MAX = 20;

type Tree = Readonly<Record<string, unknown>>;

/** What an error was caused by, and what it holds in a list or left unheard, as it was recorded. */
function linksOf({ cause, error, suppressed, errors }: Tree): Tree[] {
  const linked = [cause, error, suppressed, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
  return linked.filter((link): link is Tree => typeof link === 'object' && link !== null && !('ancestor' in link));
}

function said(link: Tree): string {
  if ('value' in link) return JSON.stringify(link.value) ?? '';
  const { name, message } = link;
  return [name, message].filter((text) => typeof text === 'string' && text !== '').join(': ');
}

/** The errors behind a recorded one, nearest first, each by its name and message: what a client says, such as "fetch failed", tells nothing without them. */
export function errorCauses(record: Tree): string[] {
  const found = linksOf(record);
  // Those that are found are looked through, too.
  for (const link of found) if (found.length < CAUSES_MAX) found.push(...linksOf(link));
  return found.slice(0, CAUSES_MAX).map(said);
}
