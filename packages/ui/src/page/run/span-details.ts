import type { Span } from '@reenact/otlp';
import { type PlainValue, toMap } from '@reenact/otlp/attributes';
import {
  ATTR_ERROR_TYPE,
  ATTR_EXCEPTION_MESSAGE,
  ATTR_EXCEPTION_STACKTRACE,
  ATTR_EXCEPTION_TYPE,
} from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
  ATTR_GEN_AI_TOOL_DEFINITIONS,
} from '@reenact/semconv/gen-ai';
import {
  ATTR_REENACT_BOUNDARY,
  ATTR_REENACT_ERROR,
  ATTR_REENACT_EXCHANGES,
  ATTR_REENACT_INPUT,
  ATTR_REENACT_INPUT_FORMAT,
  ATTR_REENACT_OUTPUT,
  ATTR_REENACT_OUTPUT_CHUNKS,
  ATTR_REENACT_OUTPUT_FORMAT,
  REENACT_BOUNDARY_VALUE_MCP,
} from '@reenact/semconv/reenact';
import { exchangesSchema } from '@reenact/trace-model/exchange-schema';
import type { z } from 'zod';
import { errorCauses } from './error-causes.ts';
import { readMcpAnswer } from './mcp-answer.ts';
import { type McpRequest, readMcpRequest } from './mcp-request.ts';
import { areMessages, type Message, readMessages, readToolResult, type ToolResult } from './message.ts';

/** The exact bytes of one value, as text. */
export interface ShownPayload {
  readonly text: string;
  readonly format: string;
}

/** One request on the wire and what came back. */
export type Exchange = z.output<typeof exchangesSchema>[number];

/** What an error was, as far as people read it. */
export interface ShownError {
  readonly name: string;
  readonly message: string;
  /** The errors behind it, nearest first; of others' recordings, none are known beside the stack. */
  readonly causes: readonly string[];
  readonly stack: string | undefined;
  /** All of it, as it was recorded; undefined where others recorded it. */
  readonly whole: string | undefined;
}

/** A span in the parts that people look at. */
export interface SpanDetails {
  readonly instructions: readonly Message[];
  readonly inputMessages: readonly Message[];
  readonly outputMessages: readonly Message[];
  readonly tools: string | undefined;
  readonly input: ShownPayload | undefined;
  /** The input, where it is a message to a server of MCP that says more than its method. */
  readonly request: McpRequest | undefined;
  readonly output: ShownPayload | undefined;
  /** The output, where it is what a tool answers in texts and bytes, or says that it failed. */
  readonly result: ToolResult | undefined;
  readonly chunks: ShownPayload | undefined;
  readonly error: ShownError | undefined;
  readonly exchanges: readonly Exchange[];
  /** Everything else that was said on it. */
  readonly attributes: readonly (readonly [key: string, value: string])[];
  readonly resource: readonly (readonly [key: string, value: string])[];
}

type SpanDocument = Pick<Partial<Span>, 'attributes' | 'status' | 'events'>;

type Attributes = ReadonlyMap<string, PlainValue>;

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textOf(value: PlainValue | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function payloadOf(
  attributes: Attributes,
  key: string,
  formatKey: string,
  otherwise: string,
): ShownPayload | undefined {
  const text = textOf(attributes.get(key)) ?? textOf(attributes.get(otherwise));
  return text === undefined ? undefined : { text, format: textOf(attributes.get(formatKey)) ?? 'json' };
}

function isOfMcp(attributes: Attributes): boolean {
  return attributes.get(ATTR_REENACT_BOUNDARY) === REENACT_BOUNDARY_VALUE_MCP;
}

function resultOf(attributes: Attributes, output: ShownPayload | undefined): ToolResult | undefined {
  // Only an object may be such an answer: of anything else as long, nothing is to be read.
  if (output?.text.startsWith('{') !== true) return undefined;
  const tree = parsed(output.text);
  const result = readToolResult(isOfMcp(attributes) ? readMcpAnswer(tree) : tree);
  return result.isError || result.parts !== undefined ? result : undefined;
}

function requestOf(attributes: Attributes, input: ShownPayload | undefined): McpRequest | undefined {
  return isOfMcp(attributes) ? readMcpRequest(parsed(input?.text)) : undefined;
}

function statusMessageOf({ status }: SpanDocument): string | undefined {
  return status?.code === 2 && status.message !== '' ? status.message : undefined;
}

/** An error as others say it: by an event of the span, or by its status alone. */
function foreignErrorOf(attributes: Attributes, span: SpanDocument): ShownError | undefined {
  const { events = [] } = span;
  // The last of them is what ended it.
  const event = toMap(events.findLast(({ name }) => name === 'exception')?.attributes);
  const type = textOf(event.get(ATTR_EXCEPTION_TYPE));
  const message = textOf(event.get(ATTR_EXCEPTION_MESSAGE)) || (statusMessageOf(span) ?? '');
  if (message === '' && type === undefined) return undefined;
  const name = type ?? textOf(attributes.get(ATTR_ERROR_TYPE)) ?? 'Error';
  return { name, message, causes: [], stack: textOf(event.get(ATTR_EXCEPTION_STACKTRACE)), whole: undefined };
}

function errorOf(attributes: Attributes, span: SpanDocument): ShownError | undefined {
  const whole = textOf(attributes.get(ATTR_REENACT_ERROR));
  if (whole === undefined) return foreignErrorOf(attributes, span);
  const tree = Object(parsed(whole)) as Record<string, unknown>;
  // An error is tagged as it is inside of a value; whatever else was thrown stands there as it is.
  const record = Object(tree.$ === 'error' ? tree.record : tree) as Record<string, unknown>;
  const { name, message, stack } = record;
  return {
    name: typeof name === 'string' ? name : 'Error',
    message: typeof message === 'string' ? message : whole,
    causes: errorCauses(record),
    stack: typeof stack === 'string' ? stack : undefined,
    whole,
  };
}

function exchangesOf(attributes: Attributes): Exchange[] {
  const read = exchangesSchema.safeParse(parsed(textOf(attributes.get(ATTR_REENACT_EXCHANGES))));
  return read.success ? read.data : [];
}

/** Shown as messages, where all of them can be read. */
const said: ReadonlySet<string> = new Set([
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
]);

/** Shown by themselves, so not among the rest. */
const apart: ReadonlySet<string> = new Set([
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
  ATTR_GEN_AI_TOOL_DEFINITIONS,
  ATTR_REENACT_ERROR,
  ATTR_REENACT_INPUT,
  ATTR_REENACT_OUTPUT,
  ATTR_REENACT_OUTPUT_CHUNKS,
]);

function restOf(attributes: Attributes, hasExchanges: boolean): [string, string][] {
  return [...attributes]
    .filter(([key, value]) => !apart.has(key) && !(said.has(key) && areMessages(parsed(textOf(value)))))
    .filter(([key]) => !(hasExchanges && key === ATTR_REENACT_EXCHANGES))
    .map(([key, value]): [string, string] => [key, textOf(value) ?? 'null'])
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

interface Document {
  readonly resourceSpans?: readonly {
    readonly resource?: { readonly attributes?: Parameters<typeof toMap>[0] };
    readonly scopeSpans?: readonly { readonly spans?: readonly SpanDocument[] }[];
  }[];
}

/** Reads the OTLP/JSON document of one span, as the collector writes it. */
export function readSpanDetails(json: string): SpanDetails {
  const [group] = (parsed(json) as Document | undefined)?.resourceSpans ?? [];
  const span = group?.scopeSpans?.[0]?.spans?.[0] ?? {};
  const attributes = toMap(span.attributes);
  const messagesAt = (key: string): Message[] => readMessages(parsed(textOf(attributes.get(key))));
  const exchanges = exchangesOf(attributes);
  const chunks = textOf(attributes.get(ATTR_REENACT_OUTPUT_CHUNKS));
  const input = payloadOf(attributes, ATTR_REENACT_INPUT, ATTR_REENACT_INPUT_FORMAT, ATTR_GEN_AI_TOOL_CALL_ARGUMENTS);
  const output = payloadOf(attributes, ATTR_REENACT_OUTPUT, ATTR_REENACT_OUTPUT_FORMAT, ATTR_GEN_AI_TOOL_CALL_RESULT);
  return {
    instructions: messagesAt(ATTR_GEN_AI_SYSTEM_INSTRUCTIONS),
    inputMessages: messagesAt(ATTR_GEN_AI_INPUT_MESSAGES),
    outputMessages: messagesAt(ATTR_GEN_AI_OUTPUT_MESSAGES),
    tools: textOf(attributes.get(ATTR_GEN_AI_TOOL_DEFINITIONS)),
    input,
    request: requestOf(attributes, input),
    output,
    result: resultOf(attributes, output),
    chunks: chunks === undefined || chunks === '[]' ? undefined : { text: chunks, format: 'json' },
    error: errorOf(attributes, span),
    exchanges,
    attributes: restOf(attributes, exchanges.length > 0),
    resource: restOf(toMap(group?.resource?.attributes), false),
  };
}
