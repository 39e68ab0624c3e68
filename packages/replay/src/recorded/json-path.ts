import { isTree, JSON_IN_TEXT_STEP, pathStep, ReenactError } from '@reenact/trace-model';
import { MEMBERS_NAMED_MAX } from '../limits.ts';

/** The steps of a JSON path: member names and indexes. */
export type JsonPath = readonly (string | number)[];

const stepPattern = /\.([A-Za-z_$][\w$-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|\['([^']*)'\]/y;

function badPath(text: string, message: string): ReenactError {
  return new ReenactError('bad-argument', message, {
    where: text,
    next: 'Write it as `reenact diff` prints it, for example $.messages[1].content or output:$.price.',
  });
}

/** Why a path that leads into the JSON of a text, as reports print one, cannot be used; undefined of any other. */
export function whyNotInText(text: string): string | undefined {
  const [whole] = text.split(JSON_IN_TEXT_STEP, 1);
  return whole === text
    ? undefined
    : `"${text}" leads into the JSON that a text holds, which cannot be named by itself: take the whole text, ${whole}`;
}

/** Reads a JSON path such as `$.messages[1].content` or `$["odd name"]`. Throws ReenactError `bad-argument`. */
export function parseJsonPath(text: string): JsonPath {
  const inText = whyNotInText(text);
  if (inText !== undefined) throw badPath(text, `${inText}.`);
  if (!text.startsWith('$')) throw badPath(text, `The JSON path "${text}" does not start with $.`);
  const steps: (string | number)[] = [];
  let at = 1;
  while (at < text.length) {
    stepPattern.lastIndex = at;
    const match = stepPattern.exec(text);
    if (match === null) throw badPath(text, `The JSON path "${text}" cannot be read from "${text.slice(at)}" on.`);
    const [whole, name, index, quoted, single] = match;
    if (index !== undefined) steps.push(Number(index));
    else steps.push(name ?? single ?? (JSON.parse(quoted ?? '""') as string));
    at += whole.length;
  }
  return steps;
}

/** A JSON path as text. */
export function jsonPathText(path: JsonPath): string {
  return `$${path.map(pathStep).join('')}`;
}

function membersOf(tree: unknown): string {
  if (Array.isArray(tree)) return tree.length === 0 ? 'an empty list' : `a list with indexes 0 to ${tree.length - 1}`;
  if (!isTree(tree)) return 'no members';
  const keys = Object.keys(tree);
  const more = keys.length > MEMBERS_NAMED_MAX ? ` and ${keys.length - MEMBERS_NAMED_MAX} more` : '';
  return keys.length === 0 ? 'no members' : `the members ${keys.slice(0, MEMBERS_NAMED_MAX).join(', ')}${more}`;
}

/** What is at a path, or how far the path leads and what is there instead. */
export type ValueAt = { readonly value: unknown } | { readonly missingAt: string; readonly found: string };

/** Follows a JSON path into a tree. */
export function valueAt(tree: unknown, path: JsonPath): ValueAt {
  let value = tree;
  for (const [index, step] of path.entries()) {
    const isThere = Array.isArray(value)
      ? typeof step === 'number' && step < value.length
      : isTree(value) && Object.hasOwn(value, String(step));
    if (!isThere) return { missingAt: jsonPathText(path.slice(0, index)), found: membersOf(value) };
    value = (value as Record<string | number, unknown>)[step];
  }
  return { value };
}
