import { trace } from '@opentelemetry/api';
import { AlwaysOffSampler, BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { ATTR_URL_FULL } from '@reenact/semconv/core';
import { ATTR_GEN_AI_OPERATION_NAME, ATTR_GEN_AI_REQUEST_MODEL } from '@reenact/semconv/gen-ai';
import { CANONICAL_POLICIES } from '@reenact/trace-model';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { installDrawRecording } from '../draws/install-draw-recording.ts';
import { admit, boundary } from '../index.ts';
import { type HostOptions, RecordingHost } from '../testdata/recording-host.ts';
import { crossingTally } from './crossing-tally.ts';
import { trapLog } from './trap-log.ts';

let host: RecordingHost;
const start = (options?: HostOptions): void => {
  host = new RecordingHost(options);
};
afterEach(() => {
  vi.unstubAllEnvs();
  return host.stop();
});

/** What is found from now on; a process keeps each trap once, so every case looks for details of its own. */
function traps(): string[] {
  const found: string[] = [];
  trapLog.listen(({ kind, detail }) => found.push(`${kind}: ${detail}`));
  return found;
}

function sendTo(url: string, told: { readonly model?: string; readonly client?: string } = {}): void {
  const admission = admit({
    boundary: { kind: 'http', name: 'POST', effect: 'write', capture: 'full', policy: CANONICAL_POLICIES.httpRequest },
    input: {},
    span: { name: 'POST', kind: 'client', slim: { [ATTR_URL_FULL]: url } },
  });
  if (admission.type !== 'run') return;
  const { crossing } = admission;
  const { model, client } = told;
  if (model !== undefined) crossing.describe({ slim: { [ATTR_GEN_AI_REQUEST_MODEL]: model } });
  if (client !== undefined)
    crossing.addExchange({
      layer: 'fetch',
      attempt: 0,
      startedAtUnixNano: '1',
      request: { method: 'POST', url, headers: [['User-Agent', client]] },
    });
  crossing.settle({ type: 'returned', value: undefined });
}

describe('traps told by spans', () => {
  it('limits of the environment at the first crossing, by when the app has set up its log', async () => {
    vi.stubEnv('OTEL_SPAN_LINK_COUNT_LIMIT', '7');
    start();
    const found = traps();
    expect(found.join()).not.toContain('OTEL_SPAN_LINK_COUNT_LIMIT=7');
    for (let call = 0; call < 2; call += 1) await boundary('tool', 'traps.limited', async () => call)();
    expect(found.filter((line) => line === 'limits-set: OTEL_SPAN_LINK_COUNT_LIMIT=7')).toHaveLength(1);
  });

  it('a request to an address at which models answer, made by something unknown', () => {
    start();
    const found = traps();
    for (const url of [
      'http://127.0.0.1:11434/v1/chat/completions',
      'https://api.anthropic.com/v1/messages',
      'https://generativelanguage.googleapis.com/v1/models/gemini:streamGenerateContent',
      'https://bedrock-runtime.eu-central-1.amazonaws.com/model/claude/converse',
      'https://shop.example/messages',
      'https://shop.example/v1/orders',
      'no address',
    ])
      sendTo(url);
    expect(
      found.filter((line) => line.startsWith('unseen-model-call')).map((line) => new URL(line.slice(19)).hostname),
    ).toEqual([
      '127.0.0.1',
      'api.anthropic.com',
      'generativelanguage.googleapis.com',
      'bedrock-runtime.eu-central-1.amazonaws.com',
    ]);
  });

  it('another instrumentation that tells of the same model call, and not one that tells of others', async () => {
    start();
    const found = traps();
    const other = (): void =>
      trace
        .getTracer('other-instrumentation')
        .startSpan('chat gpt', { attributes: { [ATTR_GEN_AI_OPERATION_NAME]: 'chat' } })
        .end();
    other();
    expect(found.join()).not.toMatch(/second-genai-spans/);
    const inner = boundary('model', 'traps.inner', async () => 1);
    await trace.getTracer('app').startActiveSpan('request', async (span) => {
      await inner();
      other();
      span.end();
    });
    expect(found.filter((line) => line.startsWith('second-genai-spans'))).toEqual([
      'second-genai-spans: scope other-instrumentation, span "chat gpt"',
    ]);
  });

  it('a sampler that drops, and the boundaries that were crossed all the same', async () => {
    start({ sampler: new AlwaysOffSampler() });
    const found = traps();
    await boundary('tool', 'traps.unsampled', async () => 1)();
    expect(found.filter((line) => line.startsWith('sampler-drops'))).toEqual([
      'sampler-drops: first seen at tool:traps.unsampled',
    ]);
    expect(crossingTally().get('tool:traps.unsampled')).toBe(1);
  });
});

describe('spans of another instrumentation in an app whose own provider has no processor of ours, as beside the hook', () => {
  it('are told of, and ours are not', async () => {
    start();
    trace.disable();
    trace.setGlobalTracerProvider(new BasicTracerProvider());
    const uninstall = installDrawRecording({ environment: {} });
    const found = traps();
    const other = { attributes: { [ATTR_GEN_AI_OPERATION_NAME]: 'chat' } };
    await trace.getTracer('sdk-of-a-provider').startActiveSpan('chat of an SDK', other, async (span) => {
      await boundary('model', 'traps.beside', async () => 1)();
      span.end();
    });
    uninstall();
    expect(found.filter((line) => line.startsWith('second-genai-spans'))).toContain(
      'second-genai-spans: scope sdk-of-a-provider, span "chat of an SDK"',
    );
    expect(found.join()).not.toContain('second-genai-spans: scope @reenact/instrumentation');
  });
});

describe('a plain request to a model that is told', () => {
  it('is a note, unless its client is one that is patched where it can be', () => {
    start();
    const found = traps();
    const url = (name: string): string => `https://${name}.example/v1/chat/completions`;
    sendTo(url('groq'), { model: 'm', client: 'Groq/JS 1.6.0' });
    sendTo(url('fetch'), { model: 'm', client: 'node' });
    for (const client of [
      'OpenAI/JS 7.57.0',
      'AzureOpenAI/JS 7.0.0',
      // As bundlers rename it.
      '_OpenAI/JS 7.59.0',
      'OpenAI2/JS 7.59.0',
      'AnthropicVertex/JS 1.0.0',
      'ai/7.0 ai-sdk/xai/3.1',
    ])
      sendTo(url(client.replace(/[/ ].*/, '')), { model: 'm', client });
    const here = found.filter((line) => line.includes('.example/v1/chat'));
    expect(here.map((line) => line.replace(/https:..([^.]+).*/, '$1').toLowerCase())).toEqual([
      'plain-model-call: groq',
      'plain-model-call: fetch',
      'unseen-model-call: openai',
      'unseen-model-call: azureopenai',
      'unseen-model-call: _openai',
      'unseen-model-call: openai2',
      'unseen-model-call: anthropicvertex',
      'unseen-model-call: ai',
    ]);
  });
});
