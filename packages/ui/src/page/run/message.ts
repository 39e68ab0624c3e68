/** One part of what was said to a model or by it, in the form of the GenAI conventions. */
export type MessagePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly name: string; readonly id: string | undefined; readonly json: string }
  | { readonly type: 'result'; readonly id: string | undefined; readonly json: string }
  | { readonly type: 'image'; readonly address: string }
  | { readonly type: 'other'; readonly json: string };

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

/** Only bytes that came with the message are shown as an image: nothing is loaded from anywhere. */
function imageOf({ modality, mime_type: type, content }: Tree): MessagePart | undefined {
  const isImage = modality === 'image' && typeof type === 'string' && /^image\/(?:png|jpeg|gif|webp)$/.test(type);
  return isImage && typeof content === 'string'
    ? { type: 'image', address: `data:${type};base64,${content}` }
    : undefined;
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
  if (type === 'tool_call_response') return { type: 'result', id, json: json(part.response ?? part.result) };
  return (type === 'blob' ? imageOf(part) : undefined) ?? { type: 'other', json: json(value) };
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
