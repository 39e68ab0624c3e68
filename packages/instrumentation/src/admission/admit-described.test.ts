import { ReenactError } from '@reenact/trace-model';
import { afterEach, expect, it } from 'vitest';
import { admitDescribed, installDedicatedPlayer, type Player } from '../index.ts';

const player: Player = {
  replayId: 'replay-1',
  dedicated: true,
  answer: () => ({ type: 'refuse', error: new ReenactError('replay-refused', 'never asked') }),
  callShapeOf: () => 'sync',
};

let uninstall = (): void => undefined;
afterEach(() => uninstall());

function failing(): never {
  throw new TypeError('a getter of the host');
}

it('gives what the gate says', () => {
  expect(admitDescribed('a tool call', () => ({ type: 'pass' }))).toEqual({ type: 'pass' });
});

it('lets a call pass that cannot be described', () => {
  expect(admitDescribed('a tool call', failing)).toEqual({ type: 'pass' });
});

it('refuses it in a replay, where it would go live', () => {
  uninstall = installDedicatedPlayer(player);
  const admission = admitDescribed('a tool call', failing);
  expect(admission).toMatchObject({
    type: 'refuse',
    error: { code: 'replay-refused', message: 'Reenact failed while it described a tool call.' },
  });
});
