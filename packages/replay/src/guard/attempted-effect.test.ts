import { describe, expect, it } from 'vitest';
import { refusalWording } from './attempted-effect.ts';

describe('what is said of a program that is not started', () => {
  const ofService = 'Where such processes serve the requests';

  it.each(['cluster.fork', 'child_process.fork'])('%s: how a service is replayed that serves from others', (name) => {
    expect(refusalWording({ type: 'program', name, target: '/app/server.js' }).next).toContain(ofService);
  });

  it('nothing of that, where it is any other', () => {
    const effect = { type: 'program', name: 'child_process.spawn', target: 'git' } as const;
    expect(refusalWording(effect).next).not.toContain(ofService);
  });
});
