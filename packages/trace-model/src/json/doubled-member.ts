/** Where an object of JSON has one name twice. */
export interface DoubledMember {
  readonly name: string;
  /** Of the second, counted from 1. */
  readonly line: number;
}

/** In JSON a string before a colon is the name of a member, and nothing else is. */
const STRINGS_AND_BRACKETS = /("(?:[^"\\]|\\.)*")\s*(:?)|[[\]{}]/g;

/** The first member of a valid JSON text whose object has another of its name. `JSON.parse` takes the last and says nothing of the others. */
export function doubledMember(text: string): DoubledMember | undefined {
  const open: Set<string>[] = [];
  for (const { 0: token, 1: written, 2: colon, index } of text.matchAll(STRINGS_AND_BRACKETS)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (written !== undefined && colon === ':') {
      const name = JSON.parse(written) as string;
      const names = open.at(-1);
      if (names?.has(name)) return { name, line: text.slice(0, index).split('\n').length };
      names?.add(name);
    }
  }
  return undefined;
}
