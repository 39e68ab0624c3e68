import type { IType } from 'protobufjs/light.js';

/** A field: its type, its number, and whether it may come more than once. */
export type FieldRow = readonly [type: string, id: number, rule?: 'repeated'];

/** One message as protobufjs describes it. */
export type MessageDescriptor = IType & { readonly edition: string };

/** Describes a message by its fields. */
export function describeMessage(
  fields: Readonly<Record<string, FieldRow>>,
  oneofs?: Record<string, { oneof: string[] }>,
): MessageDescriptor {
  const described = Object.entries(fields).map(([name, [type, id, rule]]) => [
    name,
    rule === undefined ? { type, id } : { type, id, rule },
  ]);
  return { edition: 'proto2', fields: Object.fromEntries(described), ...(oneofs === undefined ? {} : { oneofs }) };
}
