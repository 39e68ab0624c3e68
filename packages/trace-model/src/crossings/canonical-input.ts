import { canonicalJson, canonicalJsonWith, isTree } from '../json/json-tree.ts';
import { parseJsonWithNumbers } from '../json/parse-json-with-numbers.ts';
import { StringifiedJson } from '../json/stringified-json.ts';
import { hashOfDigest, hashOfText } from '../payloads/digest.ts';
import { isStringified, type Payload } from '../payloads/payload.ts';
import { payloadTree } from '../payloads/payload-tree.ts';
import { sharedTreeOf } from '../payloads/tree-payload.ts';
import { semconvMessages, settledMessage } from './semconv-messages.ts';
import { unpackedBody } from './unpacked-body.ts';
import { isVolatileHeader } from './volatile-headers.ts';

type Tree = Record<string, unknown>;

/**
 * Which parts of an input are load-bearing (DESIGN section 6, "canonical input"). A policy is named on the span, so that
 * a recording is always compared by the rule it was made for.
 */
export interface CanonicalPolicy {
  /** `<name>/<version>`. */
  readonly name: string;
  /** Top-level members that are compared; absent means the whole input. */
  readonly fields?: readonly string[];
  /** Top-level members that are not compared, where everything else is. */
  readonly volatile?: readonly string[];
  /** Where the headers stand of which VOLATILE_HEADERS are not compared. */
  readonly headersIn?: 'headers' | 'metadata';
  /** A text `body` whose `contentType` is JSON is compared by what it says, not by how it is written. */
  readonly readsJsonBody?: true;
  /**
   * Recordings of such calls that name this other policy hold an input without these top-level members: they are no part of the
   * input where it is compared under that one.
   */
  readonly before?: { readonly policy: string; readonly without: readonly string[] };
  /** The form the input is put into before its members are picked; absent means as it is. */
  readonly form?: 'semconv-messages';
}

const modelRequestFields = [
  'model',
  'messages',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'functions',
  'function_call',
  'temperature',
  'top_p',
  'top_k',
  'n',
  'stop',
  'seed',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'frequency_penalty',
  'presence_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'response_format',
  'text',
  'reasoning',
  'reasoning_effort',
  'previous_response_id',
  'modalities',
  'dimensions',
  'encoding_format',
  'stream',
] as const;

const messagesRequestFields = [
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'max_tokens',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'thinking',
  'output_config',
  'output_format',
  'mcp_servers',
  'container',
  'context_management',
  'stream',
] as const;

/**
 * What says who asks and where an answer is kept or paid for, and nothing about the answer. Every other member is compared: a
 * parameter that a provider adds tomorrow must not pass unseen.
 */
const modelRequestVolatile = [
  'metadata',
  'user',
  'safety_identifier',
  'store',
  'prompt_cache_key',
  'prompt_cache_retention',
  'service_tier',
] as const;

/** The same of the messages API: who asks, how it is paid for, and what of the prompt the provider keeps. */
const messagesRequestVolatile = ['metadata', 'service_tier', 'cache_control'] as const;

/** Every policy of every released version; a name is never given another meaning. */
export const CANONICAL_POLICIES = {
  arguments: { name: 'arguments/1' },
  /** The Anthropic messages API. */
  messagesRequest: { name: 'messages-request/2', volatile: messagesRequestVolatile },
  /** What recordings were made with at first: parameters it does not list are not compared. */
  messagesRequestListed: { name: 'messages-request/1', fields: messagesRequestFields },
  modelRequest: { name: 'model-request/2', volatile: modelRequestVolatile },
  /** What recordings were made with at first: parameters it does not list are not compared. */
  modelRequestListed: { name: 'model-request/1', fields: modelRequestFields },
  /** A message of an MCP client, with what its caller says in `_meta`. */
  mcpMessage: { name: 'mcp-message/1', before: { policy: 'arguments/1', without: ['_meta'] } },
  /** What a server said of its own accord while a request to it was under way (docs/adr/0038). */
  delivery: { name: 'delivery/1' },
  /** A call of a model by its provider's own code, with the headers that the caller gives. */
  modelOptions: {
    name: 'model-options/1',
    headersIn: 'headers',
    before: { policy: 'arguments/1', without: ['headers'] },
  },
  /** A request that goes out. */
  httpRequest: { name: 'http-request/2', headersIn: 'headers', readsJsonBody: true },
  /** A request that comes in: whoever replays it sends it with headers of their own. Requests that go out had it at first. */
  httpEntry: { name: 'http-request/1', fields: ['method', 'url', 'contentType', 'body'], readsJsonBody: true },
  /** A call that goes out. Messages that are not all known when it is looked up are compared one by one as they are sent. */
  rpcRequest: { name: 'rpc-request/2', headersIn: 'metadata' },
  /** A call that comes in: whoever replays it sends it with metadata of their own. Calls that go out had it at first. */
  rpcEntry: { name: 'rpc-request/1', fields: ['method', 'target', 'messages'] },
  /** A call that comes in and streams: its messages are not all known when it begins. */
  rpcStream: { name: 'rpc-stream/1', fields: ['method', 'target'] },
  /** Requests known from GenAI attributes only; the name goes on with what was recorded: `semconv-messages/1(model,messages)`. */
  semconvMessages: { name: 'semconv-messages/1', form: 'semconv-messages' },
} as const satisfies Record<string, CanonicalPolicy>;

const policiesByName = new Map<string, CanonicalPolicy>(
  Object.values(CANONICAL_POLICIES).map((policy) => [policy.name, policy]),
);

/** Whether a crossing is one that a replay gives to the agent, for whatever handles it to run again (docs/adr/0038). */
export function isDelivery({ canonicalPolicy: name }: { readonly canonicalPolicy: string }): boolean {
  return name === CANONICAL_POLICIES.delivery.name;
}

/** The policy of a name, or undefined where this version does not know it. */
export function canonicalPolicy(name: string): CanonicalPolicy | undefined {
  return policiesByName.get(name) ?? policyWithMembers(name);
}

function policyWithMembers(name: string): CanonicalPolicy | undefined {
  const [, base, members] = /^(semconv-messages\/\d+)\(([a-z_,]*)\)$/.exec(name) ?? [];
  const known = base === undefined ? undefined : policiesByName.get(base);
  return known === undefined || members === undefined ? undefined : { ...known, name, fields: members.split(',') };
}

/** The policy that compares exactly these members of a request known from GenAI attributes only. */
export function semconvMessagesPolicy(members: readonly string[]): CanonicalPolicy {
  const { name, form } = CANONICAL_POLICIES.semconvMessages;
  return { name: `${name}(${members.join(',')})`, form, fields: members };
}

// A double cannot tell integers of more digits apart, and two different ids must never count as equal.
const longNumber = /\d{16}/;

/**
 * What becomes of a JSON body with numbers or strings of so many digits, and of one that is compressed. `whole`: it stays text, or bytes, as match
 * keys and outcomes of recordings have it. `read`: it is a tree with its numbers exact, so that paths lead into it.
 */
export type LongNumbers = 'whole' | 'read';

function parsedBody(contentType: unknown, body: unknown, longNumbers: LongNumbers): unknown {
  const isJson = typeof contentType === 'string' && /^application\/([\w.-]+\+)?json\b/i.test(contentType);
  if (!isJson || !isTree(body) || typeof body.text !== 'string') return body;
  const { text } = body;
  const isLong = longNumber.test(text);
  if (isLong && longNumbers === 'whole') return body;
  try {
    const json: unknown = isLong ? parseJsonWithNumbers(text) : JSON.parse(text);
    return json === undefined ? body : { json };
  } catch {
    return body;
  }
}

function without(tree: Tree, isLeftOut: (member: string) => boolean): Tree {
  return Object.fromEntries(Object.entries(tree).filter(([member]) => !isLeftOut(member)));
}

/** Whether a policy compares a top-level member of an input. */
export function isComparedMember({ fields, volatile }: CanonicalPolicy, member: string): boolean {
  return (fields === undefined || fields.includes(member)) && volatile?.includes(member) !== true;
}

/** A live input, given under its own policy, as recordings hold it that name another one. */
export function inputAsRecordedUnder(recorded: CanonicalPolicy, live: CanonicalPolicy, tree: unknown): unknown {
  const { before } = live;
  if (before?.policy !== recorded.name || !isTree(tree)) return tree;
  return without(tree, (member) => before.without.includes(member));
}

/** The load-bearing part of an input as a JSON tree, tags left in place. */
export function canonicalTree(policy: CanonicalPolicy, tree: unknown, longNumbers: LongNumbers = 'read'): unknown {
  const { fields, volatile, headersIn, readsJsonBody, form } = policy;
  const formed = form === undefined ? tree : semconvMessages(tree);
  if (!isTree(formed)) return formed;
  const isWhole = fields === undefined && volatile === undefined;
  const kept = isWhole ? formed : without(formed, (member) => !isComparedMember(policy, member));
  const headers = headersIn === undefined ? undefined : kept[headersIn];
  // Match keys of recordings have the bytes that were sent.
  const body = longNumbers === 'read' ? unpackedBody(headers, kept.body) : kept.body;
  return {
    ...kept,
    ...(headersIn !== undefined && isTree(headers) ? { [headersIn]: without(headers, isVolatileHeader) } : {}),
    ...(readsJsonBody === true && 'body' in kept ? { body: parsedBody(kept.contentType, body, longNumbers) } : {}),
  };
}

/** The canonical JSON of an input from slices of its text, where its policy takes members as they are; undefined where it does not. */
function canonicalSlices(policy: CanonicalPolicy, input: Payload): string | undefined {
  if (policy.form !== undefined || !isStringified(input)) return undefined;
  const { data } = input;
  if (!data.startsWith('{')) return StringifiedJson.canonical(data);
  if (policy.headersIn !== undefined || policy.readsJsonBody !== undefined) return undefined;
  return StringifiedJson.canonical(data, (member) => isComparedMember(policy, member));
}

/**
 * The canonical JSON of a request that a dialect rebuilt, whose messages nobody changes: each is put into form and written once, however many steps
 * of the conversation send it again. Undefined of another input.
 */
function canonicalSettled(policy: CanonicalPolicy, input: Payload): string | undefined {
  const tree = policy.form === undefined ? undefined : sharedTreeOf(input);
  if (!isTree(tree) || !Array.isArray(tree.messages)) return undefined;
  const formed = canonicalTree(policy, { ...tree, messages: [] }, 'whole');
  if (!isTree(formed)) return undefined;
  const messages = tree.messages.flatMap((message: unknown) => settledMessage(message));
  return canonicalJsonWith(formed, new Map([['messages', `[${messages.join(',')}]`]]));
}

/** The match key of the input that a tree is. */
export function canonicalKeyOfTree(policy: CanonicalPolicy, tree: unknown): string {
  return `v1:${hashOfText(canonicalJson(canonicalTree(policy, tree, 'whole')))}`;
}

/** The match key of an input: `v1:sha256:<hex>` over its canonical JSON. `readTree`: gives the payload's tree, where the caller has it. */
export function canonicalKey(
  policy: CanonicalPolicy,
  input: Payload,
  readTree: () => unknown = () => payloadTree(input),
): string {
  const text =
    canonicalSlices(policy, input) ??
    canonicalSettled(policy, input) ??
    canonicalJson(canonicalTree(policy, readTree(), 'whole'));
  // Most often the arguments of a function are canonical as they are, and their digest is taken anyway. What was made of a tree has no text yet.
  return sharedTreeOf(input) === undefined && text === input.data
    ? `v1:${hashOfDigest(input.digest)}`
    : `v1:${hashOfText(text)}`;
}
