import { describe, expect, it } from 'vitest';
import { reportSettingTraps } from './setting-traps.ts';
import { trapLog } from './trap-log.ts';

function found(environment: NodeJS.ProcessEnv, version?: string): string[] {
  const lines: string[] = [];
  const stop = trapLog.listen(({ kind, detail }) => lines.push(`${kind}: ${detail}`));
  lines.length = 0;
  reportSettingTraps(environment, version);
  stop();
  return lines;
}

describe('traps told by settings', () => {
  it('are limits, samplers, switches and an old runtime', () => {
    const environment = {
      OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT: '12',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_SDK_DISABLED: 'TRUE',
      REENACT_DISABLED: '1',
    };
    expect(found(environment, '22.18.9')).toEqual([
      'limits-set: OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT=12',
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
});
