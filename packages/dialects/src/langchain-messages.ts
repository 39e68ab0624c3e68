import { finishReason, type GenAiMessage, type GenAiPart, genAiMessage, isTree } from '@reenact/trace-model';
import { textOf } from './translation.ts';

type Tree = Readonly<Record<string, unknown>>;

const roleOfClass: ReadonlyMap<string, string> = new Map([
  ['SystemMessage', 'system'],
  ['HumanMessage', 'user'],
  ['AIMessage', 'assistant'],
  ['AIMessageChunk', 'assistant'],
  ['ToolMessage', 'tool'],
]);

const roleOfType: ReadonlyMap<string, string> = new Map([
  ['system', 'system'],
  ['human', 'user'],
  ['ai', 'assistant'],
  ['AIMessageChunk', 'assistant'],
  ['tool', 'tool'],
]);

/** A message of LangChain as it writes it: the arguments of its class, or its members by its type. */
function memberOf(value: unknown): readonly [role: string, members: Tree] | undefined {
  if (!isTree(value)) return undefined;
  const isClass = value.lc === 1 && Array.isArray(value.id);
  const role = isClass
    ? roleOfClass.get(textOf((value.id as unknown[]).at(-1)) ?? '')
    : roleOfType.get(textOf(value.type) ?? '');
  const members = isClass ? value.kwargs : value.data;
  return role === undefined || !isTree(members) ? undefined : [role, members];
}

/** Calls of tools stand in a list of their own; providers' forms of them among the content say the same again. */
function isCall(part: unknown): boolean {
  return isTree(part) && /^(?:tool_use|tool_call|function_call)/.test(textOf(part.type) ?? '');
}

function callParts({ tool_calls: calls }: Tree): GenAiPart[] {
  if (!Array.isArray(calls)) return [];
  return calls.filter(isTree).map(({ id, name, args }) => ({
    type: 'tool_call',
    id: textOf(id) ?? null,
    name: textOf(name) ?? '',
    arguments: args ?? null,
  }));
}

/** A message that LangChain wrote as JSON; undefined where it is none, or of a class that is not known. */
export function langChainMessage(value: unknown): GenAiMessage | undefined {
  const [role, members] = memberOf(value) ?? [];
  if (role === undefined || members === undefined) return undefined;
  const { content, tool_call_id, name } = members;
  const said = Array.isArray(content) ? content.filter((part) => !isCall(part)) : content === '' ? null : content;
  const { parts } = genAiMessage({ role, content: role === 'tool' ? content : said, tool_call_id });
  const isNamed = typeof name === 'string' && role !== 'tool';
  return { role, parts: [...parts, ...callParts(members)], ...(isNamed ? { name } : {}) };
}

function allOrNone(messages: readonly (GenAiMessage | undefined)[]): GenAiMessage[] | undefined {
  const read = messages.filter((message) => message !== undefined);
  return read.length > 0 && read.length === messages.length ? read : undefined;
}

/** What one model was asked, of the input of LangChain's call; undefined where not all of it can be read. */
export function langChainInput(body: unknown): GenAiMessage[] | undefined {
  const batches = isTree(body) ? body.messages : undefined;
  const [only, ...others] = Array.isArray(batches) ? batches : [];
  return Array.isArray(only) && others.length === 0 ? allOrNone(only.map(langChainMessage)) : undefined;
}

/** What it answered, likewise of the output. */
export function langChainOutput(body: unknown): GenAiMessage[] | undefined {
  const batches = isTree(body) ? body.generations : undefined;
  const [only, ...others] = Array.isArray(batches) ? batches : [];
  if (!Array.isArray(only) || others.length > 0) return undefined;
  return allOrNone(
    only.map((generation: unknown) => {
      const message = isTree(generation) ? langChainMessage(generation.message) : undefined;
      if (message === undefined || !isTree(generation)) return undefined;
      const { generationInfo, generation_info: facts = generationInfo } = generation;
      const reason = isTree(facts) ? textOf(facts.finish_reason) : undefined;
      return reason === undefined ? message : { ...message, finish_reason: finishReason(reason) };
    }),
  );
}

/** Names of the message that a tool's answer became in LangChain: which call it answers, of which tool, and with what. */
export interface LangChainAnswer {
  readonly toolCallId: string | undefined;
  readonly toolName: string | undefined;
  readonly content: unknown;
}

/** A tool's answer that LangChain wrote as the message that it became, alone or as its output. */
export function langChainAnswer(value: unknown): LangChainAnswer | undefined {
  const output = isTree(value) && isTree(value.output) ? value.output : value;
  const [role, members] = memberOf(output) ?? [];
  if (role !== 'tool' || members === undefined) return undefined;
  return { toolCallId: textOf(members.tool_call_id), toolName: textOf(members.name), content: members.content ?? null };
}
