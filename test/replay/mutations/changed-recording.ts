import { assembleRecording } from '@reenact/dialects';
import type { KeyValue, Span, TracesData } from '@reenact/otlp';
import { digestOf, type Recording } from '@reenact/trace-model';

/** Changes the spans of a copy of a recording; what it gives are the spans that stay. */
export function withSpans(recording: Recording, change: (spans: Span[]) => Span[]): Recording {
  const data = structuredClone(recording.data) as TracesData;
  const resourceSpans = data.resourceSpans.map((group) => ({
    ...group,
    scopeSpans: group.scopeSpans.map((scope) => ({ ...scope, spans: change([...scope.spans]) })),
  }));
  return assembleRecording({ resourceSpans });
}

/** Which attribute of which crossing is changed, and how. */
export interface AttributeChange {
  /** Path of the crossing, as `recording.crossings` has it. */
  readonly path: string;
  readonly key: string;
  /** The new text; undefined: the attribute is taken away. */
  readonly change: (text: string) => string | undefined;
  /** As somebody would who edits a recording and wants it believed: the digest is made anew. */
  readonly hasNewDigest: boolean;
}

function textOf({ value }: KeyValue): string {
  const text: unknown = value?.stringValue;
  if (typeof text !== 'string') throw new TypeError(`${JSON.stringify(value)} is no text`);
  return text;
}

/** A recording with one attribute of one crossing changed. */
export function withAttribute(recording: Recording, { path, key, change, hasNewDigest }: AttributeChange): Recording {
  const crossing = recording.crossings.find((item) => item.path === path);
  if (crossing === undefined) throw new TypeError(`There is no ${path}.`);
  return withSpans(recording, (spans) =>
    spans.map((span) => {
      if (span.spanId !== crossing.spanId) return span;
      const before = span.attributes?.find((attribute) => attribute.key === key);
      if (before === undefined) throw new TypeError(`${path} has no ${key}.`);
      const text = change(textOf(before));
      const attributes = (span.attributes ?? []).flatMap((attribute): KeyValue[] => {
        if (attribute.key === key) return text === undefined ? [] : [{ key, value: { stringValue: text } }];
        const isDigest = hasNewDigest && text !== undefined && attribute.key === `${key}.digest`;
        return isDigest ? [{ key: attribute.key, value: { stringValue: digestOf(text) } }] : [attribute];
      });
      return { ...span, attributes };
    }),
  );
}
