import { closestName, ReenactError } from '@reenact/trace-model';
import type { z } from 'zod';
import { keysAt, suggestKeys } from './known-keys.ts';

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], input);
}

/** Pages of their own that parts of the configuration have. */
const PAGES: Readonly<Record<string, string>> = {
  forward: '`reenact docs forwarding`',
  prices: '`reenact docs asking`',
  references: '`reenact docs asking`',
};

function pageOf([key]: readonly PropertyKey[]): string {
  return PAGES[String(key)] ?? '`reenact docs collector`';
}

/** A key that has no default and was left out: "expected string, received undefined" tells nobody that. */
function missingKey(path: readonly PropertyKey[]): ReenactError {
  const where = path.join('.');
  return new ReenactError('bad-config', `The collector's configuration lacks ${where}.`, {
    where,
    next: `Add ${String(path.at(-1))}; ${pageOf(path)} says what it takes.`,
  });
}

function unknownKey(schema: z.ZodObject, path: readonly PropertyKey[], key: string): ReenactError {
  const where = [...path, key].join('.');
  const meant = suggestKeys(schema, path, key);
  const known = keysAt(schema, path).join(', ');
  const next =
    meant.length === 0 ? `Use only the keys ${known}.` : `Did you mean ${meant.join(' or ')}? Known here are ${known}.`;
  return new ReenactError('bad-config', `The collector has no setting "${where}".`, { where, next });
}

/** Of a few allowed texts the one that was most likely meant. What was written is not said: it may be a secret. */
function meantValue(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code !== 'invalid_value' || typeof value !== 'string') return '';
  const meant = closestName(value, issue.values.map(String));
  return meant === undefined ? '' : `Did you mean "${meant}"? `;
}

function mistakeOf(issue: z.core.$ZodIssue, input: unknown): ReenactError {
  const { path } = issue;
  const isName = issue.code === 'invalid_key';
  const value = valueAt(input, path);
  if (!isName && value === undefined) return missingKey(path);
  const where = path.join('.');
  const message = isName ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  const wrong = where === '' ? 'it' : `${isName ? 'the name' : 'the value of'} ${where}`;
  return new ReenactError('bad-config', `The collector's configuration cannot be used: ${message}.`, {
    where,
    next: `${meantValue(issue, value)}Correct ${wrong}; ${pageOf(path)} says what each key takes.`,
  });
}

/** All that is wrong with an input by its schema: each with its place, what is allowed there, and what was most likely meant. */
export function configMistakes(schema: z.ZodObject, { issues }: z.ZodError, input: unknown): ReenactError[] {
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => unknownKey(schema, issue.path, key))
      : [mistakeOf(issue, input)],
  );
}
