import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeTracesProtobuf, type Span, type SpanSlice, walkTracesProtobuf } from '@reenact/otlp';
import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
  ATTR_GEN_AI_TOOL_DEFINITIONS,
  GEN_AI_OPERATION_NAME_VALUE_CHAT,
  GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL,
} from '@reenact/semconv/gen-ai';

const root = new URL('../../', import.meta.url).pathname;
const AGENTS = 8;

/** A generator of numbers below `end`; equal seeds give equal rows. */
export function seededDice(seed: number): (end: number) => number {
  let state = seed >>> 0;
  return (end) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

/** Words as people and programs write them: this repository's own pages and code. */
function readCorpus(): string {
  const folders = ['docs', 'packages', 'collector/src', 'semconv'];
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(md|ts|yaml)$/.test(name) && !/node_modules|dist\//.test(name))
      .map((name) => join(root, folder, name)),
  );
  return files
    .sort()
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
}

/** How the conversations are shaped. */
export interface ConversationShape {
  readonly steps: number;
  /** Characters of one answer or tool result, at most; half of it on average. */
  readonly textCharactersMax: number;
}

/**
 * Agent runs as semantic conventions record them: each step is a chat span that carries the instructions, the tool
 * definitions and the whole conversation so far, and a tool span. `2 × steps` spans per run.
 */
export class AgentConversations {
  private readonly corpus = readCorpus();
  private readonly dice: (end: number) => number;
  private readonly shape: ConversationShape;
  private readonly agents: readonly { readonly instructions: string; readonly tools: string }[];
  private lastSpan = 0;

  constructor(shape: ConversationShape, seed = 1) {
    this.shape = shape;
    this.dice = seededDice(seed);
    this.agents = Array.from({ length: AGENTS }, () => ({
      instructions: JSON.stringify([{ type: 'text', content: this.text(1500 + this.dice(2500)) }]),
      tools: JSON.stringify(
        Array.from({ length: 5 + this.dice(8) }, (_, index) => ({
          type: 'function',
          name: `tool_${index}`,
          description: this.text(200),
          parameters: { type: 'object', properties: { query: { type: 'string', description: this.text(80) } } },
        })),
      ),
    }));
  }

  /** One run, as the receiver hands its spans to the store, one request per step. */
  *requestsOf(run: number): Generator<readonly SpanSlice[]> {
    for (const request of this.encodedOf(run)) yield slicesOf(request);
  }

  /** The same as an exporter sends it: OTLP protobuf requests. */
  *encodedOf(run: number): Generator<Uint8Array> {
    for (const spans of this.stepsOf(run)) yield encodeSpans(`agent ${run % AGENTS}`, spans);
  }

  private *stepsOf(run: number): Generator<readonly Span[]> {
    const agent = this.agents[run % AGENTS] ?? { instructions: '[]', tools: '[]' };
    const traceId = traceIdOf(run);
    const messages: object[] = [{ role: 'user', parts: [{ type: 'text', content: this.text(400) }] }];
    for (let step = 0; step < this.shape.steps; step += 1) {
      const answer = { role: 'assistant', parts: [{ type: 'text', content: this.text(this.length()) }] };
      const result = this.text(this.length());
      yield [
        this.span(traceId, step, 'chat', {
          [ATTR_GEN_AI_OPERATION_NAME]: GEN_AI_OPERATION_NAME_VALUE_CHAT,
          [ATTR_GEN_AI_SYSTEM_INSTRUCTIONS]: agent.instructions,
          [ATTR_GEN_AI_TOOL_DEFINITIONS]: agent.tools,
          [ATTR_GEN_AI_INPUT_MESSAGES]: JSON.stringify(messages),
          [ATTR_GEN_AI_OUTPUT_MESSAGES]: JSON.stringify([answer]),
        }),
        this.span(traceId, step, 'execute_tool', {
          [ATTR_GEN_AI_OPERATION_NAME]: GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL,
          [ATTR_GEN_AI_TOOL_CALL_RESULT]: result,
        }),
      ];
      messages.push(answer, { role: 'tool', parts: [{ type: 'tool_call_response', response: result }] });
    }
  }

  /** Some text of the corpus. */
  text(characters: number): string {
    const start = this.dice(this.corpus.length - characters);
    return this.corpus.slice(start, start + characters);
  }

  private length(): number {
    return 20 + this.dice(this.shape.textCharactersMax);
  }

  private span(traceId: string, step: number, name: string, attributes: Readonly<Record<string, string>>): Span {
    this.lastSpan += 1;
    return {
      traceId,
      spanId: spanIdOf(this.lastSpan, this.dice),
      name,
      kind: 1,
      startTimeUnixNano: String(1_763_700_000_000_000_000n + BigInt(step) * 1_000_000_000n + BigInt(this.dice(1e9))),
      endTimeUnixNano: String(1_763_700_001_000_000_000n + BigInt(step) * 1_000_000_000n + BigInt(this.dice(1e9))),
      attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: value } })),
    };
  }
}

/** Random, as real ids are, and free of repeats. */
function spanIdOf(number: number, dice: (end: number) => number): string {
  return (
    number.toString(16).padStart(8, '0') +
    dice(2 ** 32)
      .toString(16)
      .padStart(8, '0')
  );
}

/** The trace id of a run. */
export function traceIdOf(run: number): string {
  const dice = seededDice(run + 7);
  return (
    [0, 1, 2]
      .map(() =>
        dice(2 ** 32)
          .toString(16)
          .padStart(8, '0'),
      )
      .join('') + run.toString(16).padStart(8, '0')
  );
}

/** Spans of one service as slices of one request. */
export function sliceSpans(service: string, spans: readonly Span[]): readonly SpanSlice[] {
  return slicesOf(encodeSpans(service, spans));
}

function encodeSpans(service: string, spans: readonly Span[]): Uint8Array {
  const resource = {
    attributes: [
      { key: 'service.name', value: { stringValue: service } },
      { key: 'telemetry.sdk.language', value: { stringValue: 'nodejs' } },
    ],
  };
  return encodeTracesProtobuf({
    resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'reenact' }, spans: [...spans] }] }],
  });
}

function slicesOf(request: Uint8Array): readonly SpanSlice[] {
  const walked = walkTracesProtobuf(request);
  return walked.ok ? walked.spans : [];
}

/** Bytes of spans as they came over the wire, resources and scopes not counted. */
export function rawBytesOf(spans: readonly SpanSlice[]): number {
  return spans.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
