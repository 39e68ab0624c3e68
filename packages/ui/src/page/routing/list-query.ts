import { type DriftQuery, driftQuerySchema, type RunQuery, runQuerySchema } from '@reenact/trace-model/collector-api';
import type { Filters } from './route.ts';

/** How far back a list goes, by what the address says. */
export const LAST_MS: Readonly<Record<string, number>> = {
  '15m': 15 * 60_000,
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 7 * 86_400_000,
};

const flags: ReadonlySet<string> = new Set(['kept', 'hasReplays', 'hasForks', 'complete']);

/** A time is asked for by the minute, so that the same list is not another question each time. */
function sinceOf(last: string | undefined, nowMs: number): { since?: string } {
  if (last === undefined) return {};
  const ms = Object.hasOwn(LAST_MS, last) ? LAST_MS[last] : undefined;
  // What is no such word is no time either, and is said so.
  return { since: ms === undefined ? last : new Date(Math.floor((nowMs - ms) / 60_000) * 60_000).toISOString() };
}

function parametersOf({ last, ...filters }: Filters, nowMs: number): Record<string, unknown> {
  const values = Object.entries(filters).map(([name, value]) => [name, flags.has(name) ? value === 'true' : value]);
  return { ...Object.fromEntries(values), ...sinceOf(last, nowMs) };
}

/** What could not be understood of an address. */
export interface Misread {
  readonly problem: string;
}

function read<Query>(
  schema: {
    safeParse(value: unknown): { success: true; data: Query } | { success: false; error: { issues: Issue[] } };
  },
  parameters: unknown,
): Query | Misread {
  const parsed = schema.safeParse(parameters);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') ?? '';
  return { problem: where === '' ? (issue?.message ?? 'It cannot be read.') : `${where}: ${issue?.message}` };
}

interface Issue {
  readonly path: PropertyKey[];
  readonly message: string;
}

/** The question for runs that the filters of an address mean, at this time; or what is wrong with them. */
export function runQueryOf(filters: Filters, nowMs: number): RunQuery | Misread {
  return read<RunQuery>(runQuerySchema, parametersOf(filters, nowMs));
}

/** The question for drift that the filters of an address mean, at this time; or what is wrong with them. */
export function driftQueryOf(filters: Filters, nowMs: number): DriftQuery | Misread {
  return read<DriftQuery>(driftQuerySchema, parametersOf(filters, nowMs));
}
