import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { KeyValue, LogsData, Span, TracesData } from '@reenact/otlp';
import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_INPUT_MESSAGES_REF,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_OUTPUT_MESSAGES_REF,
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS_REF,
  ATTR_GEN_AI_TOOL_DEFINITIONS,
  ATTR_GEN_AI_TOOL_DEFINITIONS_REF,
} from '@reenact/semconv/gen-ai';
import type { CollectorConfig } from '../config.ts';
import { REFERENCE_TIMEOUT_MS, REFERENCED_BYTES_MAX } from '../limits.ts';
import { REFERENCED_BYTES_HELD_MAX } from './limits.ts';

type Settings = CollectorConfig['references'];

/** Which attribute a reference stands for. */
const REFERENCES: ReadonlyMap<string, string> = new Map([
  [ATTR_GEN_AI_INPUT_MESSAGES_REF, ATTR_GEN_AI_INPUT_MESSAGES],
  [ATTR_GEN_AI_OUTPUT_MESSAGES_REF, ATTR_GEN_AI_OUTPUT_MESSAGES],
  [ATTR_GEN_AI_SYSTEM_INSTRUCTIONS_REF, ATTR_GEN_AI_SYSTEM_INSTRUCTIONS],
  [ATTR_GEN_AI_TOOL_DEFINITIONS_REF, ATTR_GEN_AI_TOOL_DEFINITIONS],
]);

/** Digest that a reference asks for, in its fragment: `#sha256=<hex>`. */
function wantedDigest({ hash }: URL): string | undefined {
  return /^#sha256=([0-9a-fA-F]{64})$/.exec(hash)?.[1]?.toLowerCase();
}

function isBelow(url: URL, allowed: URL): boolean {
  const folder = allowed.pathname.endsWith('/') ? allowed.pathname : `${allowed.pathname}/`;
  return url.protocol === allowed.protocol && url.host === allowed.host && url.pathname.startsWith(folder);
}

/**
 * Fetches content that an instrumentation put elsewhere and left a reference to, from places that the configuration names and
 * nowhere else. What cannot be fetched, is too large, or is not what its digest says, stays a reference.
 */
export class ContentReferences {
  private readonly settings: Settings | undefined;
  private readonly allowed: readonly URL[];
  private readonly fetched = new Map<string, string>();
  private heldBytes = 0;

  /** Without settings no place is allowed. */
  constructor(settings: Settings | undefined) {
    this.settings = settings;
    this.allowed = (settings?.allow ?? []).map((place) => new URL(place));
  }

  /** Whether any place is allowed; without one nothing is looked at. */
  get isOn(): boolean {
    return this.allowed.length > 0;
  }

  private get bytesMax(): number {
    return this.settings?.bytesMax ?? REFERENCED_BYTES_MAX;
  }

  /** The same spans, with what their references and those of their events lead to beside them. */
  async resolveTraces(data: TracesData): Promise<TracesData> {
    if (!this.isOn) return data;
    const resolveSpan = async (span: Span): Promise<Span> => ({
      ...span,
      ...(span.attributes === undefined ? {} : { attributes: await this.complete(span.attributes) }),
      ...(span.events === undefined ? {} : { events: await this.completeAll(span.events) }),
    });
    const resourceSpans = data.resourceSpans.map(async (group) => {
      const scopeSpans = group.scopeSpans.map(async (scope) => ({
        ...scope,
        spans: await Promise.all(scope.spans.map(resolveSpan)),
      }));
      return { ...group, scopeSpans: await Promise.all(scopeSpans) };
    });
    return { resourceSpans: await Promise.all(resourceSpans) };
  }

  /** The same log records, with what their references lead to beside them. */
  async resolveLogs(data: LogsData): Promise<LogsData> {
    if (!this.isOn) return data;
    const resourceLogs = data.resourceLogs.map(async (group) => {
      const scopeLogs = group.scopeLogs.map(async (scope) => ({
        ...scope,
        logRecords: await this.completeAll(scope.logRecords),
      }));
      return { ...group, scopeLogs: await Promise.all(scopeLogs) };
    });
    return { resourceLogs: await Promise.all(resourceLogs) };
  }

  private completeAll<Item extends { attributes?: KeyValue[] }>(items: readonly Item[]): Promise<Item[]> {
    return Promise.all(
      items.map(async (item) =>
        item.attributes === undefined ? item : { ...item, attributes: await this.complete(item.attributes) },
      ),
    );
  }

  private async complete(attributes: KeyValue[]): Promise<KeyValue[]> {
    const present = new Set(attributes.map(({ key }) => key));
    const added: KeyValue[] = [];
    for (const { key, value } of attributes) {
      const content = REFERENCES.get(key);
      if (content === undefined || present.has(content) || typeof value?.stringValue !== 'string') continue;
      const text = await this.resolve(value.stringValue);
      if (text !== undefined) added.push({ key: content, value: { stringValue: text } });
    }
    return added.length === 0 ? attributes : [...attributes, ...added];
  }

  private async resolve(reference: string): Promise<string | undefined> {
    const known = this.fetched.get(reference);
    if (known !== undefined) return known;
    const url = URL.parse(reference);
    if (url === null || !this.allowed.some((allowed) => isBelow(url, allowed))) return undefined;
    const bytes = await this.read(url).catch(() => undefined);
    if (bytes === undefined) return undefined;
    const digest = wantedDigest(url);
    if (url.hash !== '' && digest !== createHash('sha256').update(bytes).digest('hex')) return undefined;
    const text = bytes.toString('utf8');
    this.remember(reference, text);
    return text;
  }

  private read(url: URL): Promise<Buffer | undefined> {
    return url.protocol === 'file:' ? this.readLocal(url) : this.fetchRemote(url);
  }

  /** A link must not lead out of the folder that is allowed. */
  private async readLocal(url: URL): Promise<Buffer | undefined> {
    const path = await realpath(fileURLToPath(url));
    const folders = this.allowed
      .filter(({ protocol }) => protocol === 'file:')
      .map((folder) => realpath(fileURLToPath(folder)));
    const isInside = (await Promise.all(folders)).some((folder) => path.startsWith(`${folder.replace(/\/$/, '')}/`));
    const { size } = await stat(path);
    return isInside && size <= this.bytesMax ? readFile(path) : undefined;
  }

  /** A redirect could lead anywhere, so none is followed. */
  private async fetchRemote(url: URL): Promise<Buffer | undefined> {
    const signal = AbortSignal.timeout(this.settings?.timeoutMs ?? REFERENCE_TIMEOUT_MS);
    const { ok, body } = await fetch(url, { redirect: 'error', signal });
    if (!ok || body === null) return undefined;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > this.bytesMax) return undefined;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  private remember(reference: string, text: string): void {
    this.fetched.set(reference, text);
    this.heldBytes += text.length;
    for (const [oldest, held] of this.fetched) {
      if (this.heldBytes <= REFERENCED_BYTES_HELD_MAX) break;
      this.fetched.delete(oldest);
      this.heldBytes -= held.length;
    }
  }
}
