import {
  decodeResource,
  decodeResourceJson,
  decodeScope,
  decodeScopeJson,
  decodeSpan,
  decodeSpanJson,
  encodeTracesProtobuf,
  type InstrumentationScope,
  type Resource,
} from '@reenact/otlp';
import type { StoredGroup, StoredItem } from '../store.ts';

/** Whether all versions of a span say the same, in whatever encoding and order of fields they came: over two ways, or back from another collector. */
export function tellTheSame(versions: Iterable<StoredItem>): boolean {
  let first: Buffer | undefined;
  for (const version of versions) {
    const said = tellingOf(version);
    first ??= said;
    if (said === undefined || first === undefined || !said.equals(first)) return false;
  }
  return true;
}

/** What a version says, in one encoding; undefined where that cannot hold all of it. */
function tellingOf({ format, bytes, resource, scope }: StoredItem): Buffer | undefined {
  const span = format === 'json' ? decodeSpanJson(toText(bytes)) : decodeSpan(bytes);
  const [from, by] = [readResource(resource), readScope(scope)];
  if (!span.ok || ('isLossless' in span && !span.isLossless) || from === undefined || by === undefined)
    return undefined;
  const scopeSpans = [{ scope: by, schemaUrl: scope.schemaUrl, spans: [span.value] }];
  const resourceSpans = [{ resource: from, schemaUrl: resource.schemaUrl, scopeSpans }];
  return Buffer.concat([encodeTracesProtobuf({ resourceSpans }), ...tellUnknown(resource), ...tellUnknown(scope)]);
}

/** Fields that OTLP does not know, of which only the same bytes surely say the same. Each behind its length, so that none passes for a part of another. */
function tellUnknown({ format, unknown }: StoredGroup): Uint8Array[] {
  const parts = unknown === undefined ? [] : [unknown.group, unknown.request];
  return [Buffer.from(JSON.stringify([parts.length > 0 && format, ...parts.map(({ length }) => length)])), ...parts];
}

function readResource({ format, bytes }: StoredGroup): Resource | undefined {
  if (bytes.length === 0) return { attributes: [] };
  const read = format === 'json' ? decodeResourceJson(toText(bytes)) : decodeResource(bytes);
  return read.ok ? read.value : undefined;
}

function readScope({ format, bytes }: StoredGroup): InstrumentationScope | undefined {
  if (bytes.length === 0) return { name: '' };
  const read = format === 'json' ? decodeScopeJson(toText(bytes)) : decodeScope(bytes);
  return read.ok ? read.value : undefined;
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}
