import { readFileSync } from 'node:fs';
import protobuf, { type NamespaceBase, type Type } from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { OTLP_DESCRIPTOR } from './proto-descriptor.ts';
import { OTLP_PROTO_FILES } from './proto-files.ts';

const published = new protobuf.Root();
for (const file of OTLP_PROTO_FILES) protobuf.parse(readFileSync(file, 'utf8'), published, { keepCase: false });
published.resolveAll();
const ours = protobuf.Root.fromJSON(OTLP_DESCRIPTOR).resolveAll();

/** What we call messages whose published names say too little outside of the message they are in. */
const ourNames: Readonly<Record<string, string>> = {
  '.opentelemetry.proto.trace.v1.Status': 'SpanStatus',
  '.opentelemetry.proto.trace.v1.Span.Event': 'SpanEvent',
  '.opentelemetry.proto.trace.v1.Span.Link': 'SpanLink',
};

/** Published members that we have no use for: those of profiles, and what is still in development. Walkers keep them as unknown. */
const leftOut = ['AnyValue.stringValueStrindex', 'EntityRef', 'KeyValue.keyStrindex', 'Resource.entityRefs'];

function ourName({ fullName, name }: Type): string {
  return ourNames[fullName] ?? name;
}

/** Requests and answers: one shape has several names there, and one here. */
function isOfService({ fullName }: Type): boolean {
  return fullName.startsWith('.opentelemetry.proto.collector.');
}

function typesIn(parent: NamespaceBase): Type[] {
  return parent.nestedArray.flatMap((child) => {
    if (child instanceof protobuf.Type) return [child, ...typesIn(child)];
    return child instanceof protobuf.Namespace ? typesIn(child) : [];
  });
}

/** `key: string 1`, with our names; enums are int32 here, so that numbers not known yet survive. */
function fieldsOf(type: Type, nameOf: (type: Type) => string): string[] {
  return type.fieldsArray.map(({ name, id, repeated, resolvedType, type: scalar }) => {
    const shown =
      resolvedType instanceof protobuf.Enum ? 'int32' : resolvedType === null ? scalar : nameOf(resolvedType);
    return `${nameOf(type)}.${name}: ${repeated ? 'repeated ' : ''}${shown} ${id}`;
  });
}

const described = typesIn(published).filter((type) => !isOfService(type));

describe('our description of OTLP', () => {
  it('has every message and member that opentelemetry-proto publishes, but for those that are named', () => {
    const theirs = described.flatMap((type) => fieldsOf(type, ourName));
    const own = new Set(typesIn(ours).flatMap((type) => fieldsOf(type, ({ name }) => name)));
    const lacking = theirs.filter((field) => !own.has(field)).map((field) => field.split(':')[0] ?? '');
    expect(lacking.filter((field) => !leftOut.some((name) => field === name || field.startsWith(`${name}.`)))).toEqual(
      [],
    );
    for (const name of leftOut)
      expect(
        lacking.some((field) => field.startsWith(name)),
        name,
      ).toBe(true);
  });

  it('has no message or member beside these but those of answers', () => {
    const theirs = new Set(described.flatMap((type) => fieldsOf(type, ourName)));
    const names = new Set(described.map(ourName));
    const more = typesIn(ours)
      .filter(({ name }) => names.has(name))
      .flatMap((type) => fieldsOf(type, ({ name }) => name))
      .filter((field) => !theirs.has(field));
    expect(more).toEqual([]);
    const others = typesIn(ours)
      .map(({ name }) => name)
      .filter((name) => !names.has(name));
    expect(others).toEqual(['PartialSuccess', 'ExportResponse', 'RpcStatus', 'Any', 'RetryInfo', 'Duration']);
  });
});
