import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkMetricsProtobuf } from './export-request-walker.ts';
import { checkMetricsJsonInSteps } from './json-request-walker.ts';
import { metricsToProtobuf } from './metrics-to-protobuf.ts';
import type { OtlpProblem } from './problem.ts';
import { decodeMessage, encodeMessage } from './protobuf-codec.ts';

/** One collection of counters, gauges and both kinds of histogram, as the SDK for JavaScript 2.12 writes it either way. */
const read = (name: string) => readFileSync(new URL(`testdata/sdk-metrics.${name}`, import.meta.url), 'utf8');

function decoded(bytes: Uint8Array): unknown {
  const metrics = decodeMessage<object>('MetricsData', bytes);
  if (!metrics.ok) expect.fail(metrics.problem.message);
  expect(metrics.isLossless).toBe(true);
  return metrics.value;
}

function convert(json: string): Uint8Array {
  const converted = metricsToProtobuf(Buffer.from(json));
  if (!converted.ok) expect.fail(converted.problem.message);
  return converted.bytes;
}

function problemOf(json: string): OtlpProblem | undefined {
  const steps = checkMetricsJsonInSteps(Buffer.from(json));
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** In protobuf the SDK leaves out what has its default value, which JSON says. */
function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== 'object' || value === null) return value;
  const isSaid = (member: unknown): boolean => member !== '' && member !== false && member !== 0 && member !== '0';
  const members = Object.entries(value).filter(([, member]) => isSaid(member));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutDefaults(member)]));
}

describe('metrics in JSON', () => {
  it('become what the SDK itself writes in protobuf, with no field it knows and we do not', () => {
    const [ours, theirs] = [convert(read('json')), Buffer.from(read('protobuf.base64'), 'base64')].map(decoded);
    expect(withoutDefaults(ours)).toEqual(withoutDefaults(theirs));
    expect(JSON.stringify(ours)).toMatch(/exponentialHistogram.*explicitBounds|explicitBounds.*exponentialHistogram/);
  });

  it('keep 64-bit integers, signs, infinities and ids', () => {
    const json = `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[
      {"name":"s","sum":{"aggregationTemporality":"AGGREGATION_TEMPORALITY_CUMULATIVE","dataPoints":[
        {"asInt":"-9223372036854775808","timeUnixNano":"18446744073709551615","exemplars":[
          {"asDouble":"-Infinity","traceId":"0AF7651916CD43DD8448EB211C80319C","spanId":"b7ad6b7169203331"}]}]}},
      {"name":"e","exponentialHistogram":{"dataPoints":[
        {"scale":-10,"negative":{"offset":-3,"bucketCounts":["18446744073709551615",0]}}]}}]}]}]}`;
    const [group] = (decoded(convert(json)) as { resourceMetrics: { scopeMetrics: { metrics: unknown[] }[] }[] })
      .resourceMetrics;
    const [sum, exponential] = group?.scopeMetrics[0]?.metrics ?? [];
    const exemplar = { asDouble: '-Infinity', traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
    expect(sum).toMatchObject({
      sum: {
        aggregationTemporality: 2,
        dataPoints: [{ asInt: '-9223372036854775808', timeUnixNano: '18446744073709551615', exemplars: [exemplar] }],
      },
    });
    expect(exponential).toMatchObject({
      exponentialHistogram: {
        dataPoints: [{ scale: -10, negative: { offset: -3, bucketCounts: ['18446744073709551615', '0'] } }],
      },
    });
  });

  it.each(['', '[]', '{"resourceMetrics":7}', '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"sum":[]}]}]}]}'])(
    'that are none are said to be: %s',
    (json) => {
      expect(metricsToProtobuf(Buffer.from(json)).ok).toBe(false);
      expect(problemOf(json)).toBeDefined();
    },
  );

  it('of an SDK are taken either way', () => {
    expect(problemOf(read('json'))).toBeUndefined();
    expect(checkMetricsProtobuf(Buffer.from(read('protobuf.base64'), 'base64'))).toBeUndefined();
  });

  it('never throw, and give well-formed bytes where they were taken, whatever is in them', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const scopes = [{ scopeMetrics: [value] }, { scopeMetrics: [{ metrics: [value, { gauge: value }] }] }];
        for (const body of [value, { resourceMetrics: [value] }, { resourceMetrics: scopes }]) {
          const json = JSON.stringify(body);
          const converted = metricsToProtobuf(Buffer.from(json));
          if (problemOf(json) === undefined) expect(converted.ok).toBe(true);
          if (converted.ok) expect(checkMetricsProtobuf(converted.bytes)).toBeUndefined();
        }
      }),
    );
    expect(encodeMessage('MetricsData', {})).toHaveLength(0);
  });
});
