import { describe, expect, it } from 'vitest';
import type { Crossing } from '../crossings/crossing.ts';
import { startersOfProcesses } from './process-run.ts';

/** A crossing as far as it is looked at. */
function crossing(spanId: string, parentSpanId: string | undefined, more: Partial<Crossing> = {}): Crossing {
  return { spanId, parentSpanId, kind: 'agent', name: 'process', ...more } as Crossing;
}

describe('those that started processes', () => {
  const root = crossing('root', undefined, { name: 'desk', processId: 7, parentProcessId: 1 });
  const launcher = crossing('launcher', 'root', { processId: 8, parentProcessId: 7 });

  it('are what encloses these, and one that made no call and is named by another beside it', () => {
    expect(startersOfProcesses([root, crossing('only', 'root')])).toEqual(new Set(['root']));
    const started = crossing('started', 'root', { processId: 9, parentProcessId: 8 });
    const called = crossing('called', 'started', { name: 'helper' });
    expect(startersOfProcesses([root, launcher, started, called])).toEqual(new Set(['root', 'launcher']));
  });

  it('are none that merely stand beside another, or of which nobody knows who started them', () => {
    const other = crossing('other', 'root', { processId: 9, parentProcessId: 7 });
    expect(startersOfProcesses([root, launcher, other])).toEqual(new Set(['root']));
    const unknown = [crossing('one', 'root'), crossing('another', 'root')];
    expect(startersOfProcesses([root, ...unknown])).toEqual(new Set(['root']));
  });
});
