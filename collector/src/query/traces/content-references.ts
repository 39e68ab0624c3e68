import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { setTimeout as passTime } from 'node:timers/promises';
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
import type { CollectorConfig } from '../../config.ts';
import { readRetryAfter } from '../../forward/backoff.ts';
import { REFERENCE_TIMEOUT_MS, REFERENCED_BYTES_MAX } from '../../limits.ts';
import { FILES_READ_AT_ONCE, REFERENCED_BYTES_HELD_MAX, REFERENCES_ASKED_AT_ONCE } from '../limits.ts';
import { ContentHost } from './content-host.ts';

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

/** Bytes, or why there are none, and whether that may pass: of what is not there nobody knows. */
type Found = { readonly bytes: Buffer } | { readonly reason: string; readonly mayPass?: true };

/** One call, for all its references. */
interface Turn {
  readonly endMs: number;
  readonly onPassing: () => void;
}

const NO_FILE: Found = { reason: 'it is no file of that folder' };
const TOO_SLOW = { reason: 'it took longer than timeoutMs', mayPass: true } satisfies Found;
const LARGER: Found = { reason: 'it is larger than bytesMax' };
const RESTING: Found = { reason: 'its host did not answer a short while ago, and is asked again later', mayPass: true };
const ASKED_TO_WAIT: Found = { reason: 'its host asked to be left alone for a while', mayPass: true };
const OUT_OF_TIME: Found = { reason: 'there was more to fetch for one summary than it has time for', mayPass: true };
/** As long as names of hosts are. */
const HOST_CHARACTERS_MAX = 255;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERRORS = 500;

/** Holds what was found against its reference. What is no text would be given as something that nobody stored. */
function heldAgainst(url: URL, found: Found): Found {
  if ('reason' in found) return found;
  if (url.hash !== '' && wantedDigest(url) !== createHash('sha256').update(found.bytes).digest('hex'))
    return { reason: 'it is not what the digest of its reference says' };
  return isUtf8(found.bytes) ? found : { reason: 'it is no text in UTF-8' };
}

function isBelow(url: URL, allowed: URL): boolean {
  const folder = allowed.pathname.endsWith('/') ? allowed.pathname : `${allowed.pathname}/`;
  return url.protocol === allowed.protocol && url.host === allowed.host && url.pathname.startsWith(folder);
}

/**
 * Told of content that is not to be had: from which of the allowed places, or from which host or scheme where none of them is meant, and why. Never
 * the reference itself, which may hold a signature.
 */
export type OnUnfetched = (place: string, reason: string) => void;

const NOT_ALLOWED = 'it is below no place of references.allow';
const NO_ADDRESS = 'its reference is no address';

/** Where a reference leads that may not be followed, as short as it can be named: what a sender made up must fill no log. */
function placeOf({ protocol, host }: URL): string {
  return `${protocol}//${host.slice(0, HOST_CHARACTERS_MAX)}`;
}

/** What files are read by. */
type ContentFiles = Readonly<{ open: typeof open; realpath: typeof realpath }>;

/** How content is fetched, beside what the configuration says. */
export interface ContentReferencesOptions {
  readonly onUnfetched?: OnUnfetched;
  /** How long content of one call is fetched; what has not begun by then stays a reference. As long as it takes where this is left out. */
  readonly budgetMs?: number;
  /** A clock that never goes back. */
  readonly nowMs?: () => number;
  /** What files are read by; tests give one that hangs, as a network's file system does whose server is gone. */
  readonly files?: ContentFiles;
}

/** A pipe would have its reader wait for a writer. Windows has no such flag, and no such files. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Why a fetch failed, as a system or TLS calls it. */
function reasonOf(thrown: unknown): string {
  const { message, name, cause, code } = thrown as Error & { code?: unknown };
  if (name === 'TimeoutError') return TOO_SLOW.reason;
  const { code: below, message: belowMessage } = (cause ?? {}) as { code?: unknown; message?: unknown };
  return String(below ?? belowMessage ?? code ?? message);
}

/** A host that is away may come back; what a disk does not have it mostly never has. */
function failed({ protocol }: URL, thrown: unknown): Found {
  const reason = reasonOf(thrown);
  return protocol === 'file:' ? { reason } : { reason, mayPass: true };
}

/**
 * Fetches content that an instrumentation put elsewhere and left a reference to, from places that the configuration names and
 * nowhere else. What cannot be fetched, is too large, no text, or not what its digest says, stays a reference.
 */
export class ContentReferences {
  private readonly settings: Settings | undefined;
  private readonly allowed: readonly URL[];
  private readonly onUnfetched: OnUnfetched;
  private readonly budgetMs: number;
  private readonly nowMs: () => number;
  private readonly files: ContentFiles;
  private readonly hosts = new Map<string, ContentHost>();
  private readonly fetched = new Map<string, string>();
  private heldBytes = 0;

  /** Without settings no place is allowed. */
  constructor(
    settings: Settings | undefined,
    {
      onUnfetched = () => undefined,
      budgetMs = Number.POSITIVE_INFINITY,
      nowMs = () => performance.now(),
      files = { open, realpath },
    }: ContentReferencesOptions = {},
  ) {
    this.settings = settings;
    this.onUnfetched = onUnfetched;
    this.budgetMs = budgetMs;
    this.nowMs = nowMs;
    this.files = files;
    this.allowed = (settings?.allow ?? []).map((place) => new URL(place));
  }

  /** Whether any place is allowed; without one nothing is looked at. */
  get isOn(): boolean {
    return this.allowed.length > 0;
  }

  private get bytesMax(): number {
    return this.settings?.bytesMax ?? REFERENCED_BYTES_MAX;
  }

  private get timeoutMs(): number {
    return this.settings?.timeoutMs ?? REFERENCE_TIMEOUT_MS;
  }

  /**
   * The same spans, with what their references and those of their events lead to beside them. `onPassing`: told of each that could not be had for a reason
   * that may pass.
   */
  async resolveTraces(data: TracesData, onPassing: () => void = () => undefined): Promise<TracesData> {
    if (!this.isOn) return data;
    const turn = { endMs: this.nowMs() + this.budgetMs, onPassing };
    const resolveSpan = async (span: Span): Promise<Span> => ({
      ...span,
      ...(span.attributes === undefined ? {} : { attributes: await this.complete(span.attributes, turn) }),
      ...(span.events === undefined ? {} : { events: await this.completeAll(span.events, turn) }),
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
  async resolveLogs(data: LogsData, onPassing: () => void = () => undefined): Promise<LogsData> {
    if (!this.isOn) return data;
    const turn = { endMs: this.nowMs() + this.budgetMs, onPassing };
    const resourceLogs = data.resourceLogs.map(async (group) => {
      const scopeLogs = group.scopeLogs.map(async (scope) => ({
        ...scope,
        logRecords: await this.completeAll(scope.logRecords, turn),
      }));
      return { ...group, scopeLogs: await Promise.all(scopeLogs) };
    });
    return { resourceLogs: await Promise.all(resourceLogs) };
  }

  private completeAll<Item extends { attributes?: KeyValue[] }>(items: readonly Item[], turn: Turn): Promise<Item[]> {
    return Promise.all(
      items.map(async (item) =>
        item.attributes === undefined ? item : { ...item, attributes: await this.complete(item.attributes, turn) },
      ),
    );
  }

  private async complete(attributes: KeyValue[], turn: Turn): Promise<KeyValue[]> {
    const present = new Set(attributes.map(({ key }) => key));
    const found = attributes.map(async ({ key, value }): Promise<KeyValue[]> => {
      const content = REFERENCES.get(key);
      if (content === undefined || present.has(content) || typeof value?.stringValue !== 'string') return [];
      const text = await this.resolve(value.stringValue, turn);
      return text === undefined ? [] : [{ key: content, value: { stringValue: text } }];
    });
    const added = (await Promise.all(found)).flat();
    return added.length === 0 ? attributes : [...attributes, ...added];
  }

  private async resolve(reference: string, turn: Turn): Promise<string | undefined> {
    const known = this.fetched.get(reference);
    if (known !== undefined) return known;
    const url = URL.parse(reference);
    const place = url === null ? undefined : this.allowed.find((allowed) => isBelow(url, allowed));
    if (url === null || place === undefined) {
      this.onUnfetched(url === null ? '' : placeOf(url), url === null ? NO_ADDRESS : NOT_ALLOWED);
      return undefined;
    }
    const read = await this.read(url, place, turn.endMs).catch((thrown: unknown) => failed(url, thrown));
    const found = heldAgainst(url, read);
    if ('reason' in found) {
      this.onUnfetched(place.href, found.reason);
      if (found.mayPass === true) turn.onPassing();
      return undefined;
    }
    const text = found.bytes.toString('utf8');
    this.remember(reference, text);
    return text;
  }

  private read(url: URL, place: URL, endMs: number): Promise<Found> {
    const isFile = url.protocol === 'file:';
    const host = this.hostOf(isFile ? place.href : url.origin, isFile ? FILES_READ_AT_ONCE : REFERENCES_ASKED_AT_ONCE);
    return host.inTurn(async () => {
      if (host.isResting) return host.hasAsked ? ASKED_TO_WAIT : RESTING;
      if (this.nowMs() >= endMs) return OUT_OF_TIME;
      return isFile ? this.readInTime(url, place, host) : this.fetchRemote(url, host);
    });
  }

  private hostOf(name: string, atOnceMax: number): ContentHost {
    const host = this.hosts.get(name) ?? new ContentHost({ firstRestMs: this.timeoutMs, atOnceMax, nowMs: this.nowMs });
    this.hosts.set(name, host);
    return host;
  }

  /** The system breaks off no reading, and a thread of the process waits for each that hangs: no other is begun in the same folder meanwhile. */
  private async readInTime(url: URL, place: URL, host: ContentHost): Promise<Found> {
    const askedMs = this.nowMs();
    const ending = new AbortController();
    const reading = this.readLocal(url, place);
    const late = passTime(this.timeoutMs, undefined, { signal: ending.signal });
    try {
      const found = await Promise.race([reading, late]);
      if (found !== undefined) host.noteAnswer();
      if (found !== undefined) return found;
      host.noteSilence(askedMs);
      host.noteLeft(reading);
      return TOO_SLOW;
    } finally {
      ending.abort();
    }
  }

  /** A link must not lead out of the folder that is allowed. No other is looked at, which may hang. */
  private async readLocal(url: URL, place: URL): Promise<Found> {
    // One after the other: each holds a thread of the process where the folder hangs.
    const folder = await this.files.realpath(fileURLToPath(place));
    const path = await this.files.realpath(fileURLToPath(url));
    const isInside = path.startsWith(`${folder.replace(/\/$/, '')}/`);
    if (!isInside) return NO_FILE;
    const file = await this.files.open(path, OPEN_FLAGS);
    try {
      const found = await file.stat();
      if (!found.isFile()) return NO_FILE;
      if (found.size > this.bytesMax) return LARGER;
      const chunks: Buffer[] = [];
      // One that grows is not read beyond it.
      for await (const chunk of file.createReadStream({ autoClose: false, end: this.bytesMax })) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      return bytes.length > this.bytesMax ? LARGER : { bytes };
    } finally {
      await file.close();
    }
  }

  /** A redirect could lead anywhere, so none is followed. */
  private async fetchRemote(url: URL, host: ContentHost): Promise<Found> {
    const signal = AbortSignal.timeout(this.timeoutMs);
    const askedMs = this.nowMs();
    const { ok, status, headers, body } = await fetch(url, { redirect: 'manual', signal }).catch((thrown: unknown) => {
      host.noteSilence(askedMs);
      throw thrown;
    });
    host.noteAnswer();
    if (!ok || body === null) {
      await body?.cancel();
      const reason = `it was answered with ${status}`;
      if (status !== TOO_MANY_REQUESTS && status < SERVER_ERRORS) return { reason };
      host.noteAsked(readRetryAfter(headers.get('retry-after'), Date.now()) ?? 0);
      return { reason, mayPass: true };
    }
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > this.bytesMax) return LARGER;
      chunks.push(chunk);
    }
    return { bytes: Buffer.concat(chunks) };
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
