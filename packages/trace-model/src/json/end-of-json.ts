/**
 * Says where a text stops being JSON, as in `from line 3, column 1 on`; undefined where it is JSON. The parser's own words are not for messages: they
 * quote the text, which may be a secret, and mostly name no place.
 */
export function endOfJson(text: string): string | undefined {
  if (failureOf(text) === undefined) return undefined;
  // However much follows, what is broken stays so: the shortest beginning that is more than unfinished ends with the character to blame.
  let [unfinished, broken] = [0, text.length + 1];
  while (unfinished + 1 < broken) {
    const length = Math.floor((unfinished + broken) / 2);
    if (isBroken(text.slice(0, length))) broken = length;
    else unfinished = length;
  }
  const before = text.slice(0, broken - 1).split('\n');
  return `from line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1} on`;
}

/** Whether nothing that follows could make it JSON. */
function isBroken(beginning: string): boolean {
  const failure = failureOf(beginning);
  if (failure === undefined) return false;
  const position = /at position (\d+)/.exec(failure)?.[1];
  return position === undefined ? !failure.includes('end of JSON') : Number(position) < beginning.length;
}

function failureOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}
