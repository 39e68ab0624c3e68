import { InMemorySpanExporter } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it, vi } from 'vitest';
import { RecordingProcessor } from '../export/recording-processor.ts';
import { reportSettingTraps } from './setting-traps.ts';
import { trapLog } from './trap-log.ts';
import { TRAPS } from './traps.ts';

function found(
  environment: NodeJS.ProcessEnv,
  node = process.versions.node,
  others: { bun?: string; deno?: string } = {},
): string[] {
  const lines: string[] = [];
  const stop = trapLog.listen(({ kind, detail }) => lines.push(`${kind}: ${detail}`));
  lines.length = 0;
  reportSettingTraps(environment, { ...process.versions, node, ...others });
  stop();
  return lines;
}

describe('a fix that tells to keep one version of a package', () => {
  it('says how, also where packages ask for different ones', () => {
    const told = Object.values(TRAPS).filter(({ fix }) => fix.includes('npm dedupe'));
    expect(told.length).toBeGreaterThan(2);
    for (const { fix } of told) expect(fix).toContain('"overrides": {');
  });
});

describe('traps told by settings', () => {
  it('are limits, samplers, switches and an old runtime', () => {
    const environment = {
      OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT: '12',
      OTEL_SPAN_ATTRIBUTE_PER_EVENT_COUNT_LIMIT: '2',
      OTEL_SPAN_EVENT_COUNT_LIMIT: '3',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_SDK_DISABLED: 'TRUE',
      REENACT_DISABLED: '1',
    };
    expect(found(environment, '22.18.9')).toEqual([
      'limits-set: OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT=12, OTEL_SPAN_ATTRIBUTE_PER_EVENT_COUNT_LIMIT=2, OTEL_SPAN_EVENT_COUNT_LIMIT=3',
      'sampler-drops: OTEL_TRACES_SAMPLER=parentbased_traceidratio',
      'recording-off: REENACT_DISABLED=1',
      'recording-off: OTEL_SDK_DISABLED=true',
      'old-runtime: Node.js 22.18.9',
    ]);
  });

  it('are variables with a name that nobody reads, where a known one is near', () => {
    const environment = {
      REENACT_REDACT_PATH: 'customer.name',
      REENACT_DISABLD: '1',
      REENACT_REDACTION_KEY: 'right',
      REENACT_REPLAY: '/tmp/replay',
      REENACT_COLLECTOR_HTTP_PORT: '1',
      REENACT_BATCH_OF_OUR_SHOP: '7',
      REENACT_ENV: 'production',
    };
    expect(found(environment)).toEqual([
      'unknown-variable: REENACT_DISABLD, for REENACT_DISABLED',
      'unknown-variable: REENACT_REDACT_PATH, for REENACT_REDACT_PATHS',
    ]);
  });

  it('are such variables where an app sets up recording itself, too, whose rules of redaction would not be in force', async () => {
    vi.stubEnv('REENACT_REDACT_PATTRN', 'TCK-[0-9]{6}');
    const lines: string[] = [];
    const stop = trapLog.listen(({ kind, detail }) => lines.push(`${kind}: ${detail}`));
    const processor = new RecordingProcessor(new InMemorySpanExporter());
    stop();
    vi.unstubAllEnvs();
    await processor.shutdown();
    expect(lines).toContain('unknown-variable: REENACT_REDACT_PATTRN, for REENACT_REDACT_PATTERN');
  });

  it('are each reported once', () => {
    const environment = { OTEL_ATTRIBUTE_COUNT_LIMIT: '5' };
    expect(found(environment)).toHaveLength(1);
    expect(found(environment)).toEqual([]);
  });

  it('are none where nothing is set', () => {
    const environment = {
      OTEL_TRACES_SAMPLER: 'parentbased_always_on',
      OTEL_ATTRIBUTE_COUNT_LIMIT: '',
      REENACT_DISABLED: '0',
    };
    expect(found(environment, '22.19.0')).toEqual([]);
    expect(found(environment, '24.1.0')).toEqual([]);
  });

  it('are runtimes that only say they are a Node.js', () => {
    expect(found({}, '24.3.0', { bun: '1.4.5' })).toEqual(['old-runtime: Bun 1.4.5']);
    expect(found({}, '24.3.0', { deno: '2.9.6' })).toEqual(['old-runtime: Deno 2.9.6']);
  });
});

describe('values that a variable does not take', () => {
  it('are told, each with those that it does', () => {
    const environment = {
      REENACT_DISABLED: 'yes',
      REENACT_RECORD_DRAWS: 'off',
      REENACT_REDACTION: 'no',
      REENACT_SPOOL: 'never',
      REENACT_HOST_CONTENT: 'all',
      REENACT_PROPAGATE_TO: '*.svc:8080, http://ada:hunter2x@agent.internal',
      REENACT_REDACT_PERSONAL: 'iban',
    };
    expect(found(environment)).toEqual([
      'variable-value: REENACT_DISABLED=yes: give 1, to record nothing, or 0',
      'variable-value: REENACT_HOST_CONTENT=all: give none, truncated or full',
      'variable-value: REENACT_RECORD_DRAWS=off: give 0, to record no draws, or 1',
      'variable-value: REENACT_REDACTION=no: give off, to have no default rules, or on',
      'variable-value: REENACT_SPOOL=never: give off, to keep nothing on the disk, or on',
      'variable-value: REENACT_PROPAGATE_TO=http://…@agent.internal: write hosts as agent.internal, *.svc:8080',
      'variable-value: REENACT_REDACT_PERSONAL has "iban", which is no kind of personal data that is known.',
    ]);
  });

  it('are none of those that it takes', () => {
    const environment = {
      REENACT_DISABLED: '',
      REENACT_RECORD_RANDOM_BYTES: '1',
      REENACT_SPOOL: 'OFF',
      REENACT_HOST_CONTENT: 'truncated',
      REENACT_PROPAGATE_TO: 'agent.internal:8080,*.svc,[::1]:80,fe80::1',
      REENACT_REDACT_PATTERN: 'TCK-\\d{6}',
    };
    expect(found(environment)).toEqual([]);
  });
});
