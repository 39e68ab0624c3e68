import { expect, it } from 'vitest';
import { readRoute, writeRoute } from './route.ts';

it('reads what it wrote', () => {
  const route = { page: 'run', id: 'ab/12 %', spanId: 'cd?#' } as const;
  expect(readRoute(writeRoute(route))).toEqual(route);
  expect(readRoute('#/drift?kind=tool&name=a%26b&empty=')).toEqual({
    page: 'drift',
    filters: { kind: 'tool', name: 'a&b' },
  });
});

it('reads two runs that are compared, one of which may not be known yet', () => {
  for (const route of [
    { page: 'compare', left: 'ab', right: 'c/d', exact: true },
    { page: 'compare', left: 'ab', right: '', exact: false },
  ] as const) {
    expect(readRoute(writeRoute(route))).toEqual(route);
  }
});

it('takes an address that was cut in the middle of a letter as it stands', () => {
  expect(readRoute('#/runs/%E0%A4%A/%')).toEqual({ page: 'run', id: '%E0%A4%A', spanId: '%' });
});
