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

it('takes an address that was cut in the middle of a letter as it stands', () => {
  expect(readRoute('#/runs/%E0%A4%A/%')).toEqual({ page: 'run', id: '%E0%A4%A', spanId: '%' });
});
