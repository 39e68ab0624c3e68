import { Mistakes, ReenactError, toReenactError } from '@reenact/trace-model';
import { apiErrorSchema } from '@reenact/trace-model/collector-api';
import { expect, it } from 'vitest';
import { errorJson, wantsJson } from './error-json.ts';

const missing = new ReenactError('not-found', 'There is no run "a\nb".', {
  where: 'http://127.0.0.1:1',
  next: 'List.',
});

function thrownBy(act: () => void): ReenactError {
  try {
    act();
  } catch (thrown) {
    return toReenactError(thrown);
  }
  throw new Error('Nothing was thrown.');
}

it('asks for JSON with the flag of the command, not with one of the agent', () => {
  expect(wantsJson(['show', 'latest', '--json'])).toBe(true);
  expect(wantsJson(['replay', 'latest', '--', 'node', 'app.mjs', '--json'])).toBe(false);
  expect(wantsJson(['show', 'latest'])).toBe(false);
});

it('is one line in the shape of the API, which leaves nothing out that is said to people', () => {
  const text = errorJson(missing);
  expect(text).not.toContain('\n');
  expect(apiErrorSchema.parse(JSON.parse(text)).error.code).toBe('not-found');
  expect(JSON.parse(text)).toEqual({
    error: {
      code: 'not-found',
      message: 'There is no run "a\nb".',
      where: 'http://127.0.0.1:1',
      next: 'List.',
      retryable: false,
    },
  });
});

it('has each of several', () => {
  const other = new ReenactError('bad-argument', 'No number.', { where: '--limit' });
  const mistakes = new Mistakes();
  mistakes.add(missing, other);
  const { error } = JSON.parse(errorJson(thrownBy(() => mistakes.throwAny())));
  expect(error.errors.map(({ code, where }: ReenactError) => [code, where])).toEqual([
    ['not-found', 'http://127.0.0.1:1'],
    ['bad-argument', '--limit'],
  ]);
});
