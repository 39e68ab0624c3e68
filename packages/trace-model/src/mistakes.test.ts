import { expect, it } from 'vitest';
import { Mistakes } from './mistakes.ts';
import { describeError, errorsIn, isReenactError, ReenactError } from './reenact-error.ts';

function thrownBy(mistakes: Mistakes): unknown {
  try {
    mistakes.throwAny();
  } catch (thrown) {
    return thrown;
  }
  return undefined;
}

const host = new ReenactError('bad-config', 'The host is wrong.', {
  where: 'host',
  next: 'Run `reenact config token`.',
});
const port = new ReenactError('bad-config', 'The port is wrong.', { where: 'httpPort' });

it('one mistake is thrown as it is, and none is none', () => {
  const mistakes = new Mistakes();
  expect(thrownBy(mistakes)).toBeUndefined();
  expect(mistakes.try(() => 3)).toBe(3);
  mistakes.add(host);
  expect(thrownBy(mistakes)).toBe(host);
});

it('several are one error that says each with its place and what to do, also of those that are several themselves', () => {
  const inner = new Mistakes();
  inner.add(host, port);
  const mistakes = new Mistakes();
  expect(mistakes.try(() => inner.throwAny())).toBeUndefined();
  mistakes.add(new ReenactError('bad-config', 'A key is unknown.'));
  const error = thrownBy(mistakes);
  if (!isReenactError(error)) throw new Error('It is no error of ours.');
  expect(error.code).toBe('bad-config');
  expect(errorsIn(error)).toHaveLength(3);
  expect(describeError(error, (next) => next.replace('`reenact', '`npx reenact'))).toBe(
    [
      '3 things are wrong:',
      '- The host is wrong. (host)',
      '  Run `npx reenact config token`.',
      '- The port is wrong. (httpPort)',
      '- A key is unknown.',
    ].join('\n'),
  );
  expect(error.message).toContain('Run `reenact config token`.');
});

it('what is no mistake of the reader is thrown on', () => {
  const defect = new TypeError('undefined is no function');
  expect(() =>
    new Mistakes().try(() => {
      throw defect;
    }),
  ).toThrow(defect);
});
