import { decodeResourceJson, decodeScopeJson, type JsonDecoded, type JsonMessage } from './json-codec.ts';
import { readSpansJson } from './json-request-walker.ts';
import type { OtlpProblem } from './problem.ts';
import type { GroupSlice } from './slice.ts';
import type { InstrumentationScope, Resource, Span, TracesData } from './span.ts';

type ResourceSpans = TracesData['resourceSpans'][number];
type ScopeSpans = ResourceSpans['scopeSpans'][number];

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

/** Reads span by span, and the head of each group once. */
class GroupedSpans {
  readonly resourceSpans: ResourceSpans[] = [];
  problem: OtlpProblem | undefined;
  private readonly resources = new Map<GroupSlice, Map<GroupSlice, Span[]>>();

  spansOf(resource: GroupSlice, scope: GroupSlice): Span[] {
    let scopes = this.resources.get(resource);
    if (scopes === undefined) {
      scopes = new Map();
      this.resources.set(resource, scopes);
      this.resourceSpans.push({ ...this.head('resource', resource, decodeResourceJson), scopeSpans: [] });
    }
    let spans = scopes.get(scope);
    if (spans === undefined) {
      spans = [];
      scopes.set(scope, spans);
      const group: ScopeSpans = { ...this.head('scope', scope, decodeScopeJson), spans };
      this.resourceSpans.at(-1)?.scopeSpans.push(group);
    }
    return spans;
  }

  private head<Member extends 'resource' | 'scope', Head extends Resource | InstrumentationScope>(
    member: Member,
    { bytes, schemaUrl }: GroupSlice,
    decode: (text: string) => JsonMessage<Head>,
  ): { [Name in Member]?: Head } & { schemaUrl?: string } {
    const facts = schemaUrl === '' ? {} : { schemaUrl };
    const read = bytes.length === 0 ? undefined : decode(textOf(bytes));
    if (read?.ok === false) this.problem ??= read.problem;
    return { ...(read?.ok === true ? { [member]: read.value } : {}), ...facts } as never;
  }
}

/**
 * Reads spans as `decodeTracesJson` does, out of the bytes of the text: it never holds the whole as text, and reads more than a text may be
 * long. Of a group only what OTLP says of it is kept.
 */
export function decodeTracesJsonBytes(bytes: Uint8Array): JsonDecoded<TracesData> {
  const read = readSpansJson(bytes);
  if (!read.ok) return read;
  const groups = new GroupedSpans();
  for (const { span, resource, scope } of read.spans) groups.spansOf(resource, scope).push(span);
  if (groups.problem !== undefined) return { ok: false, problem: groups.problem };
  return { ok: true, data: { resourceSpans: groups.resourceSpans }, rejected: read.rejected };
}
