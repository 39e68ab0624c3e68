import { diag } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { agent, type Identity, identify, tool, withIdentity } from '../index.ts';
import { UNKNOWN_IDENTITY_KEYS_MAX } from '../limits.ts';
import { RecordingHost } from '../testdata/recording-host.ts';

let host: RecordingHost;
const warn = vi.fn();
beforeEach(() => {
  host = new RecordingHost();
  diag.setLogger({ error: warn, warn, info: vi.fn(), debug: vi.fn(), verbose: vi.fn() });
  warn.mockReset();
});
afterEach(async () => {
  diag.disable();
  await host.stop();
});

/** What somebody writes whose code is not type-checked. */
function said(members: Record<string, unknown>): Identity {
  return members as Identity;
}

function warnings(): string[] {
  return warn.mock.calls.map(([message]) => String(message));
}

describe('a key that no identity has', () => {
  it('is told once, with the keys there are, and the others count', async () => {
    const run = agent('unknown.run', () => identify(said({ userId: 'u-1', user: 'u-1' })));
    run();
    run();
    expect(warnings()).toEqual([
      'reenact: an identity has no "user", so it is ignored; there are userId, sessionId, conversationId, tenant.',
    ]);
    const [first] = await host.recorded();
    expect(first?.attributes['user.id']).toBe('u-1');
  });

  it('is told by withIdentity, too, and nothing is told of known ones', () => {
    const inner = tool('unknown.inner', () => 7);
    expect(withIdentity({ userId: 'u', sessionId: 's', conversationId: 'c', tenant: 't' }, inner)).toBe(7);
    expect(warnings()).toEqual([]);
    expect(withIdentity(said({ session: 's' }), inner)).toBe(7);
    expect(warnings()).toEqual([expect.stringContaining('"session"')]);
  });

  it('never stops the host: not by a logger that throws, not by what is no identity', () => {
    warn.mockImplementation(() => {
      throw new TypeError('no log');
    });
    const run = agent('unknown.broken', () => {
      identify(said({ id: 1 }));
      Reflect.apply(identify, undefined, [undefined]);
      return 'done';
    });
    expect(run()).toBe('done');
    identify({ userId: 'outside' });
    expect(warnings()).toContainEqual(expect.stringContaining('"id"'));
    expect(warnings()).toContainEqual(expect.stringContaining('outside a run'));
  });

  it('is told on stderr, which programs show that set up no diagnostics', () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    withIdentity(said({ conversation: 'c' }), () => undefined);
    withIdentity(said({ conversation: 'c' }), () => undefined);
    expect(write.mock.calls).toEqual([[expect.stringMatching(/^reenact: an identity has no "conversation".*\n$/)]]);
    write.mockRestore();
  });

  it('cannot fill the log, nor the memory', () => {
    const many = Array.from({ length: UNKNOWN_IDENTITY_KEYS_MAX * 3 }, (_, number) => `made-up-${number}`);
    for (const key of many) withIdentity(said({ [key]: 1 }), () => undefined);
    expect(warnings().length).toBeGreaterThan(0);
    expect(warnings().length).toBeLessThanOrEqual(UNKNOWN_IDENTITY_KEYS_MAX);
    const told = warnings().length;
    withIdentity(said({ 'one-more': 1 }), () => undefined);
    expect(warnings()).toHaveLength(told);
  });
});
