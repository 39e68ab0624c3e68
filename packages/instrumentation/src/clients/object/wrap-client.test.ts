import { ReenactError } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { installDedicatedPlayer } from '../../index.ts';
import { TapePlayer } from '../../testing/tape-player.ts';
import { wrapClient } from './wrap-client.ts';

const client = { query: () => 1 };

describe('a client whose wrapping fails', () => {
  const broken = (): never => {
    throw new RangeError('ours is broken');
  };

  it('is handed back as it is, so that the host works unrecorded', () => {
    expect(wrapClient(client, broken)).toBe(client);
  });

  it('is refused in a replay, where it would be live', () => {
    const uninstall = installDedicatedPlayer(new TapePlayer([]));
    try {
      expect(() => wrapClient(client, broken)).toThrow(RangeError);
    } finally {
      uninstall();
    }
  });

  it('is refused where the caller is wrong', () => {
    const mistake = new ReenactError('bad-argument', 'No such kind.', { where: 'here', next: 'Name another.' });
    const wrap = (): never => {
      throw mistake;
    };
    expect(() => wrapClient(client, wrap)).toThrow(mistake);
  });
});
