import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { guarded } from '../host/report-failure.ts';
import { JsonBytes } from './json-bytes.ts';
import { addAttributes, addSpan, memberJson } from './span-json.ts';

/** Makes the bytes of a request, as a serializer of OpenTelemetry's exporters does. */
export type SerializeRequest = (spans: ReadableSpan[]) => Uint8Array | undefined;

type Scope = ReadableSpan['instrumentationScope'];
type ByScope = Map<string, ReadableSpan[]>;

function grouped(spans: readonly ReadableSpan[]): Map<Resource, ByScope> {
  const groups = new Map<Resource, ByScope>();
  for (const span of spans) {
    const { resource, instrumentationScope: scope } = span;
    const byScope: ByScope = groups.get(resource) ?? new Map<string, ReadableSpan[]>();
    groups.set(resource, byScope);
    const key = `${scope.name}@${scope.version || ''}:${scope.schemaUrl || ''}`;
    const group = byScope.get(key);
    if (group === undefined) byScope.set(key, [span]);
    else group.push(span);
  }
  return groups;
}

/** A scope may have attributes, which the types of older releases do not know. */
interface ScopeAttributes {
  readonly attributes?: object;
  readonly droppedAttributesCount?: number;
}

function addScope(out: JsonBytes, scope: Scope): void {
  const names = `${memberJson('name', scope.name)}${memberJson('version', scope.version)}`;
  const { attributes = {}, droppedAttributesCount = 0 } = scope as ScopeAttributes;
  if (Object.keys(attributes).length === 0) out.add(`{${names.slice(0, -1)}}`);
  else {
    out.add(`{${names}"attributes":`);
    addAttributes(out, attributes);
    out.add(`,"droppedAttributesCount":${droppedAttributesCount}}`);
  }
}

function schemaJson(schemaUrl: string | undefined): string {
  return schemaUrl === undefined ? '' : `,"schemaUrl":${JSON.stringify(schemaUrl)}`;
}

function addScopeSpans(out: JsonBytes, scope: Scope, spans: readonly ReadableSpan[]): void {
  out.add('{"scope":');
  addScope(out, scope);
  let before = ',"spans":[';
  for (const span of spans) {
    out.add(before);
    addSpan(out, span);
    before = ',';
  }
  out.add(`]${schemaJson(scope.schemaUrl)}}`);
}

function write(out: JsonBytes, spans: readonly ReadableSpan[]): Uint8Array {
  out.clear();
  let before = '{"resourceSpans":[';
  for (const [resource, byScope] of grouped(spans)) {
    const schema = schemaJson(resource.schemaUrl || undefined);
    out.add(`${before}{"resource":{"attributes":`);
    addAttributes(out, resource.attributes);
    before = `,"droppedAttributesCount":0${schema}},"scopeSpans":[`;
    for (const group of byScope.values()) {
      out.add(before);
      addScopeSpans(out, (group[0] as ReadableSpan).instrumentationScope, group);
      before = ',';
    }
    out.add(`]${schema}}`);
  }
  out.add(spans.length === 0 ? `${before}]}` : ']}');
  return out.take();
}

/**
 * Writes OTLP/JSON as `serialize` does, in less time because each long text is escaped once. The first request is written by both: where
 * ours is not the same byte for byte, as with an exporter that speaks protobuf or of another release, theirs is used for good.
 */
export function requestWriter(serialize: SerializeRequest): SerializeRequest {
  const out = new JsonBytes();
  const ours = (spans: ReadableSpan[]): Uint8Array | undefined =>
    guarded('writing a request', () => write(out, spans), undefined);
  let isOurs: boolean | undefined;
  return (spans) => {
    if (isOurs === true) return ours(spans) ?? serialize(spans);
    const theirs = serialize(spans);
    if (isOurs === undefined && theirs !== undefined) {
      const written = ours(spans);
      isOurs = written !== undefined && Buffer.compare(written, theirs) === 0;
    }
    return theirs;
  };
}
