import { ReenactError } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { DEFAULT_COLLECTOR_URL, elsewhereHint } from './default-collector.ts';

const away = new ReenactError('collector-unreachable', 'Nothing answers.', { where: DEFAULT_COLLECTOR_URL });
const sentElsewhere = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:14318/' };

describe('elsewhereHint', () => {
  it('names where the spans of this shell go, where nothing answers at the default address', () => {
    const hint = elsewhereHint(away, sentElsewhere);
    expect(hint).toContain('--collector http://127.0.0.1:14318, or REENACT_COLLECTOR=http://127.0.0.1:14318');
  });

  it.each([
    ['REENACT_COLLECTOR says where to read from', away, { ...sentElsewhere, REENACT_COLLECTOR: DEFAULT_COLLECTOR_URL }],
    ['nothing says where spans go', away, {}],
    ['spans of this shell go there, too', away, { OTEL_EXPORTER_OTLP_ENDPOINT: `${DEFAULT_COLLECTOR_URL}/` }],
    ['an address would show a password', away, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:secret@collector:4318' }],
    ['something that is no address is set', away, { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }],
    [
      'another thing is wrong',
      new ReenactError('not-found', 'No span.', { where: DEFAULT_COLLECTOR_URL }),
      sentElsewhere,
    ],
    [
      'another address was asked',
      new ReenactError('collector-unreachable', 'No.', { where: 'http://a:1' }),
      sentElsewhere,
    ],
  ])('says nothing where %s', (_, error, environment) => {
    expect(elsewhereHint(error, environment)).toBeUndefined();
  });
});
