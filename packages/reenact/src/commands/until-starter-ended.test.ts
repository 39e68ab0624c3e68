import { expect, it } from 'vitest';
import { isAllOfScript } from './until-starter-ended.ts';

it.each(["'reenact'", '"reenact"', 'reenact', 'reenact collect', 'reenact collect --data ./data'])(
  'takes a collector for all that npm runs: %s',
  (script) => {
    expect(isAllOfScript({ npm_lifecycle_script: script })).toBe(true);
  },
);

it.each([
  'reenact collect & node app.mjs',
  'reenact collect; true',
  'reenact replay one -- node app.mjs',
  'node dev.mjs',
])('leaves a collector that a script started beside something else: %s', (script) => {
  expect(isAllOfScript({ npm_lifecycle_script: script })).toBe(false);
});

it('leaves one that npm knows nothing of', () => {
  expect(isAllOfScript({})).toBe(false);
});
