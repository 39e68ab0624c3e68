import { isTree } from '../json/json-tree.ts';
import { readableText } from '../json/readable-text.ts';

type Tree = Readonly<Record<string, unknown>>;

/** Stands before what failed. */
const FAILED_MARK = '✗ ';

/** A text as it is, any other value as people write it; nothing for nothing. */
export function plainText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : readableText(value);
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value) => typeof value === 'string');
}

/** What came as bytes, by its type: base64 tells nobody anything. */
function bytesText(part: Tree): string | undefined {
  const { source, resource, image_url: image } = part;
  const address = firstText(image, isTree(image) ? image.url : undefined);
  if (address !== undefined) return /^data:([^;,]+)/.exec(address)?.[1] ?? address;
  const inside = [source, resource].find(isTree) ?? part;
  const type = firstText(inside.mimeType, inside.mime_type, inside.media_type, inside.mediaType, part.modality);
  const bytes = firstText(inside.data, inside.blob, part.type === 'blob' ? part.content : undefined);
  return type === undefined || bytes === undefined ? undefined : `(${type})`;
}

/** One part of what a tool answered, as MCP and the providers have them; undefined for what is none. */
function contentText(part: unknown): string | undefined {
  if (!isTree(part) || typeof part.type !== 'string') return undefined;
  if (part.type === 'text') return firstText(part.text);
  if (part.type === 'resource_link') return firstText(part.uri);
  if (part.type === 'resource' && isTree(part.resource)) return firstText(part.resource.text) ?? bytesText(part);
  return bytesText(part);
}

/** What stands in a result of MCP. Whatever has more is something else that has a `content`, too. */
const membersOfResult: ReadonlySet<string> = new Set([
  'content',
  'isError',
  'structuredContent',
  'resultType',
  '_meta',
]);

/** What a tool answered: of a list of contents, as a result of MCP has one, what it says. A mark stands before what says that it failed. */
export function answerText(value: unknown, isFailed = false): string {
  const mark = isFailed || (isTree(value) && value.isError === true) ? FAILED_MARK : '';
  const isResult = isTree(value) && Object.keys(value).every((key) => membersOfResult.has(key));
  const content: unknown = isResult ? value.content : value;
  const said = Array.isArray(content) ? content.map(contentText) : [];
  if (said.length > 0 && said.every((text) => text !== undefined)) return mark + said.join(' ');
  return mark + plainText(isResult ? (value.structuredContent ?? value) : value);
}

/** What a server of MCP answered: a result, be it by itself or as another client than the SDK's hears it, in a message. */
export function mcpAnswerText(value: unknown): string {
  if (!isTree(value) || Object.keys(value).length > 1) return answerText(value);
  const { result, error } = value;
  if (isTree(error)) return answerText(error.message ?? error, true);
  return answerText(isTree(result) ? result : value);
}

/** By the type of a part: its members that name a tool and say what it is called with. */
const calls: Readonly<Record<string, readonly [name: string, input: string]>> = {
  tool_call: ['name', 'arguments'],
  function_call: ['name', 'arguments'],
  tool_use: ['name', 'input'],
  'tool-call': ['toolName', 'input'],
};

/** One part of a message, in the words of the conventions or of a library. */
function partText(part: unknown): string {
  if (!isTree(part)) return plainText(part);
  const [name, input] = calls[String(part.type)] ?? [];
  if (name !== undefined && input !== undefined) return `${plainText(part[name])}(${plainText(part[input])})`;
  const isFailed = part.is_error === true;
  switch (part.type) {
    // The conventions' word for what a tool answered, and that of an older draft of them.
    case 'tool_call_response':
      return answerText(part.response ?? part.result ?? part, isFailed);
    case 'tool_result':
      return answerText(part.content ?? part, isFailed);
    case 'function_call_output':
      return answerText(part.output ?? part);
    case 'tool-result': {
      const { output } = part;
      const isError = isTree(output) && (output.type === 'error-text' || output.type === 'error-json');
      return answerText(isTree(output) ? (output.value ?? output) : part, isError);
    }
    default:
      return bytesText(part) ?? plainText(part.text ?? part.content ?? part);
  }
}

/** What parts of a message say; not what was thought, where anything else was said. */
export function partsText(parts: readonly unknown[]): string {
  const said = parts.filter((part) => !(isTree(part) && part.type === 'reasoning'));
  return (said.length === 0 ? parts : said).map(partText).join(' ');
}

/** The last thing said to a model: what changed since the call before. */
export function lastMessageText(body: Tree): string {
  const conversation = body.messages ?? body.input ?? body.prompt;
  if (!Array.isArray(conversation)) return plainText(conversation ?? body);
  const last: unknown = conversation.at(-1);
  if (!isTree(last)) return plainText(last);
  const role = typeof last.role === 'string' ? `${last.role}: ` : '';
  const parts = last.parts ?? last.content;
  return role + (Array.isArray(parts) ? partsText(parts) : partText(last));
}

/** What an embedding is made of. */
export function embeddedText(body: Tree): string {
  const embedded = body.input ?? body.values ?? body;
  return Array.isArray(embedded) ? embedded.map(plainText).join(' ') : plainText(embedded);
}

/** What a server of MCP is asked, beside the server and the tool that name its crossing. */
export function mcpRequestText({ method, params, ...rest }: Tree): string {
  if (!isTree(params)) return plainText({ method, ...rest });
  return plainText(method === 'tools/call' ? (params.arguments ?? {}) : params);
}

/** The body of a request over HTTP; undefined where it has none. */
export function httpBodyText({ body }: Tree): string | undefined {
  return isTree(body) ? (firstText(body.text) ?? '(bytes)') : firstText(body);
}

/** A request over HTTP: where it goes, and its body. Its method names the crossing; undefined for anything else. */
export function httpRequestText({ url, body }: Tree): string | undefined {
  if (typeof url !== 'string') return undefined;
  const sent = httpBodyText({ body });
  return sent === undefined ? url : `${url} ${sent}`;
}
