import { PassThrough } from 'node:stream';
import { diag } from '@opentelemetry/api';
import { afterEach, describe, expect, it } from 'vitest';
import { logDiagnostics } from './log-diagnostics.ts';

afterEach(() => diag.disable());

function written(level: string | undefined): string {
  const stderr = new PassThrough();
  logDiagnostics(level === undefined ? {} : { OTEL_LOG_LEVEL: level }, stderr);
  diag.error('an error', { of: 'the exporter' });
  diag.warn('a warning');
  diag.info('a note');
  diag.debug('a detail');
  return String(stderr.read() ?? '');
}

describe('diagnostics of OpenTelemetry', () => {
  it.each([
    ['error', "error: an error { of: 'the exporter' }\n"],
    ['WARN', "error: an error { of: 'the exporter' }\nwarn: a warning\n"],
    ['info', "error: an error { of: 'the exporter' }\nwarn: a warning\ninfo: a note\n"],
    ['debug', "error: an error { of: 'the exporter' }\nwarn: a warning\ninfo: a note\n"],
    ['NONE', ''],
    [undefined, ''],
  ])('are written as OTEL_LOG_LEVEL says: %s', (level, expected) => {
    expect(written(level)).toBe(expected);
  });

  it("are left to the app's own logger, whether it was set before or is set later", () => {
    const heard: string[] = [];
    const hear = (message: string): void => void heard.push(message);
    const own = { error: hear, warn: hear, info: hear, debug: hear, verbose: hear };
    diag.setLogger(own);
    expect(written('info')).toBe('');
    diag.disable();
    logDiagnostics({ OTEL_LOG_LEVEL: 'error' }, new PassThrough());
    diag.setLogger(own);
    diag.error('heard');
    expect(heard).toContain('heard');
  });
});
