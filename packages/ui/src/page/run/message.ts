import { type Media, mediaOf } from './media.ts';

/** One part of what was said to a model or by it, in the form of the GenAI conventions. */
export type MessagePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly name: string; readonly id: string | undefined; readonly json: string }
  | ({ readonly type: 'result'; readonly id: string | undefined } & ToolResult)
  | Media
  | { readonly type: 'other'; readonly json: string };

/** What a tool answered. */
export interface ToolResult {
  readonly json: string;
  /** Whether it says that it failed. */
  readonly isError: boolean;
  /** What it said and showed; undefined where its JSON says that best. */
  readonly parts: readonly MessagePart[] | undefined;
}

/** What somebody said. */
export interface Message {
  readonly role: string;
  readonly parts: readonly MessagePart[];
}

type Tree = Readonly<Record<string, unknown>>;

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function json(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function contentPart(value: unknown): MessagePart | undefined {
  const part = Object(value) as Tree;
  const said = part.type === 'text' ? text(part.text) : undefined;
  return said === undefined ? mediaOf(part) : { type: 'text', text: said };
}

/** The content of an answer, where it is such as MCP and the providers have it: a list of texts and of what came as bytes. */
function contentParts(value: unknown): MessagePart[] | undefined {
  const content: unknown = Array.isArray(value) ? value : (Object(value) as Tree).content;
  if (!Array.isArray(content) || content.length === 0) return undefined;
  const parts = content.map(contentPart);
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

/** Reads what a tool answered, and whether it says that it failed, as MCP has it. */
export function readToolResult(value: unknown): ToolResult {
  const isError = (Object(value) as Tree).isError === true;
  return { json: json(value), isError, parts: contentParts(value) };
}

/** Of a tool that the provider runs, what it answered has members of its own. */
function serverResult(id: string | undefined, value: unknown): MessagePart {
  const { content } = Object(value) as Tree;
  const isError = text((Object(content) as Tree).type)?.endsWith('_error') === true;
  return { type: 'result', id, json: json(value), isError, parts: undefined };
}

function partOf(value: unknown): MessagePart {
  if (typeof value === 'string') return { type: 'text', text: value };
  const part = Object(value) as Tree;
  const { type } = part;
  const content = text(part.content);
  if ((type === 'text' || type === 'refusal') && content !== undefined) return { type: 'text', text: content };
  if (type === 'reasoning' && content !== undefined) return { type: 'reasoning', text: content };
  const id = text(part.id);
  if (type === 'tool_call') return { type: 'call', name: text(part.name) ?? '', id, json: json(part.arguments) };
  if (type === 'server_tool_call') {
    const { input } = Object(part.server_tool_call) as Tree;
    return { type: 'call', name: text(part.name) ?? '', id, json: json(input) };
  }
  if (type === 'server_tool_call_response') return serverResult(id, part.server_tool_call_response);
  if (type === 'tool_call_response') {
    const result = readToolResult(part.response ?? part.result);
    return { type: 'result', id, ...result, isError: result.isError || part.is_error === true };
  }
  return mediaOf(part) ?? { type: 'other', json: json(value) };
}

function isMessage(item: unknown): item is Tree {
  return Array.isArray((Object(item) as Tree).parts);
}

/** Whether `readMessages` leaves nothing out. */
export function areMessages(value: unknown): boolean {
  return Array.isArray(value) && (value.every(isMessage) || !value.some(isMessage));
}

/** Reads messages, or the parts of a system instruction, which have no role of their own. What is neither is left out. */
export function readMessages(value: unknown): Message[] {
  if (!Array.isArray(value)) return [];
  if (value.length > 0 && !value.some(isMessage)) return [{ role: 'system', parts: value.map(partOf) }];
  return value.filter(isMessage).map((item) => ({
    role: text(item.role) ?? 'unknown',
    parts: (item.parts as unknown[]).map(partOf),
  }));
}
