import { afterAll, beforeAll, expect, it, vi } from 'vitest';

beforeAll(() => void vi.stubEnv('REENACT_REDACT_PATTERN', 'hunter2-Sup3r: Secret/: (|[x'));
afterAll(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it('a rule of the environment that cannot be used lets nothing leave in an app that sets up recording itself, and is told', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  // Loaded now: rules are read once, from what the process was started with.
  const { tool } = await import('../../index.ts');
  const { RecordingHost } = await import('../../testdata/recording-host.ts');
  const host = new RecordingHost();
  expect(await tool('echo', async (text: string) => text)('TCK-123456')).toBe('TCK-123456');
  const sent = JSON.stringify((await host.recorded()).map(({ attributes }) => attributes));
  await host.stop();
  expect(sent).not.toContain('TCK-123456');
  expect(sent).toContain('redaction-failed');
  const told = warn.mock.calls.map(([text]) => String(text)).join();
  expect(told).toContain('REENACT_REDACT_PATTERN is no regular expression: Unterminated');
  // The pattern may be what is to be kept secret.
  expect(told).not.toContain('hunter2');
});
