import { expect } from 'vitest';
import type { GuardedReplay } from './guard-stage.ts';

/** Neither refused nor done, and noted (docs/adr/0048): whoever asks looks whether the world is what it was. */
const goesAside = /^fs\.(?:promises\.)?(?:appendFile|mkdir)(?:Sync)?\b|^fs\.openSync by fs\.Utf8Stream$/;

/**
 * Every attempt failed with the refusal as its error; the report has each, by its function, with the line that made it, and
 * the verdict is the guard's. The name of an attempt starts with the function that is to be reported.
 */
export function expectAllRefused({ attempted, report, output }: GuardedReplay): void {
  const attempts = [...attempted.values()];
  const passed = attempts.filter(({ code }) => code !== 'replay-refused').map(({ name }) => name);
  expect(passed).toEqual(attempts.map(({ name }) => name).filter((name) => goesAside.test(name)));
  expect(report.exitCode, output).toBe(3);
  expect(report.verdict).toBe('forbidden');
  const forbidden = report.divergences.filter(({ kind }) => kind === 'forbidden');
  for (const { name, message } of attempts.filter(({ name }) => !passed.includes(name))) {
    const entry = forbidden.find((divergence) => divergence.message === message);
    expect(entry, `${name}: ${message}`).toBeDefined();
    expect(message?.startsWith(`${name.split(' ')[0]} `), `${name}: ${message}`).toBe(true);
    expect(entry).toMatchObject({ path: 'agent:main', next: expect.stringMatching(/boundary/) });
  }
}

/** The entry about one attempt. */
export function entryFor(
  { attempted, report }: GuardedReplay,
  name: string,
): GuardedReplay['report']['divergences'][number] {
  const message = attempted.get(name)?.message;
  const entry = report.divergences.find((divergence) => divergence.message === message);
  if (entry === undefined) throw new Error(`Nothing about ${name} is in the report.`);
  return entry;
}
