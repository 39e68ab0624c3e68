import { membersOf, stringOf, travelsToUrl } from '@reenact/instrumentation';
import { type UrlPlace, urlPlace } from '@reenact/trace-model';

/** What a transport says about where it leads. Nothing of it is secret: no query, no environment, no headers. */
export interface TransportFacts {
  readonly type: 'stdio' | 'streamable-http' | 'sse' | 'custom';
  readonly command?: string;
  readonly arguments?: readonly string[];
  readonly url?: string;
}

/** A path of one machine is another on the next; its last part says what is started. */
function lastPart(text: string): string {
  return /^(?:\/|[A-Za-z]:\\|file:)/.test(text) ? (text.split(/[/\\]/).at(-1) ?? text) : text;
}

function urlOf(value: unknown): URL | undefined {
  return value instanceof URL ? value : undefined;
}

/** Where a transport leads, read from its own fields. */
export function transportFacts(transport: unknown): TransportFacts {
  const { _serverParams, serverParams, _url } = membersOf(transport);
  // The AI SDK's stands without the line below.
  const { command, args } = membersOf(_serverParams ?? serverParams);
  if (typeof command === 'string') {
    const list = Array.isArray(args) ? args.map((item: unknown) => lastPart(stringOf(item) ?? '')) : [];
    return { type: 'stdio', command: lastPart(command), arguments: list };
  }
  const url = urlOf(_url);
  if (url === undefined) return { type: 'custom' };
  const isStreamable = typeof membersOf(transport).terminateSession === 'function';
  return { type: isStreamable ? 'streamable-http' : 'sse', url: `${url.origin}${url.pathname}` };
}

/** Host and port behind an HTTP transport. */
export function serverPlace({ url }: TransportFacts): UrlPlace | undefined {
  return url === undefined ? undefined : urlPlace(new URL(url));
}

/** Whether the position of a replay goes along with what is sent there. */
export function takesPosition(facts: TransportFacts): boolean {
  return facts.type === 'stdio' || (facts.url !== undefined && travelsToUrl(new URL(facts.url)));
}
