import { ReenactError } from '@reenact/trace-model';
import { afterEach, describe, expect, it } from 'vitest';
import { installDedicatedPlayer } from '../index.ts';
import { gatedCredentials, gatedMakeRequest, type PatchScope } from './client-members.ts';
import type { StainlessClient } from './stainless-client.ts';

const member = { key: 'bearerAuth', served: () => ({}) };

describe('a member of a client that gives credentials', () => {
  it('hands out its own promise where it is asked: by way of ours the client would go on microtasks later', () => {
    const given = Promise.resolve({ Authorization: 'Bearer bench' });
    const gated = gatedCredentials(() => given, member);
    expect(Reflect.apply(gated, {} as StainlessClient, [])).toBe(given);
  });
});

describe('a request that cannot be described', () => {
  const library = {
    name: 'bench',
    describeCall: () => {
      throw new TypeError('a getter of the host');
    },
  };
  const scope = { library, isActive: () => true, admit: () => ({ type: 'pass' }) } as unknown as PatchScope;
  let sent = 0;
  const makeRequest = gatedMakeRequest(async () => {
    sent += 1;
    return {} as never;
  }, scope);
  const ask = (): Promise<unknown> =>
    Reflect.apply(makeRequest, {} as StainlessClient, [{ method: 'post', path: '/chat' }, 0, undefined]);
  let uninstall = (): void => undefined;
  afterEach(() => uninstall());

  it('is sent where it is recorded, and refused in a replay', async () => {
    await ask();
    uninstall = installDedicatedPlayer({
      replayId: 'replay-1',
      dedicated: true,
      answer: () => ({ type: 'refuse', error: new ReenactError('replay-refused', 'never asked') }),
      callShapeOf: () => 'promise',
    });
    await expect(ask()).rejects.toThrow('Reenact failed while it described a call of bench.');
    expect(sent).toBe(1);
  });
});
