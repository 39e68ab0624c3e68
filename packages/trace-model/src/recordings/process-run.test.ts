import { describe, expect, it } from 'vitest';
import type { Crossing } from '../crossings/crossing.ts';
import { startersOfProcesses } from './process-run.ts';

/** A crossing as far as it is looked at. */
function crossing(spanId: string, parentSpanId: string | undefined, name = 'process'): Crossing {
  return { spanId, parentSpanId, kind: 'agent', name } as Crossing;
}

describe('those that started processes', () => {
  it('are what encloses these, and one that made no call and stands beside another', () => {
    const root = crossing('root', undefined, 'desk');
    expect(startersOfProcesses([root, crossing('only', 'root')])).toEqual(new Set(['root']));
    const [launcher, started] = [crossing('launcher', 'root'), crossing('started', 'root')];
    const called = crossing('called', 'started', 'helper');
    expect(startersOfProcesses([root, launcher, started, called])).toEqual(new Set(['root', 'launcher']));
  });
});
