import type { Metadata } from '@grpc/grpc-js';
import type { MetadataClass } from './wire-call.ts';

const binary = /-bin$/;

/** Metadata as pairs of text; binary values, whose names end in `-bin`, as base64. */
export function metadataPairs(metadata: Metadata | null | undefined): [string, string][] {
  if (metadata === undefined || metadata === null) return [];
  return Object.keys(metadata.getMap()).flatMap((name) =>
    metadata
      .get(name)
      .map((value): [string, string] => [name, typeof value === 'string' ? value : value.toString('base64')]),
  );
}

/** Metadata from its pairs. */
export function metadataOf(Made: MetadataClass, pairs: readonly (readonly [string, string])[]): Metadata {
  const metadata = new Made();
  for (const [name, value] of pairs) metadata.add(name, binary.test(name) ? Buffer.from(value, 'base64') : value);
  return metadata;
}
