/** Bytes that came with what was said, as base64. */
export interface Media {
  readonly type: 'media';
  /** What a browser shows or plays of it without running any of it; of all else, type and size are named. */
  readonly element: 'img' | 'audio' | 'video' | undefined;
  readonly mediaType: string;
  readonly base64: string;
}

type Tree = Readonly<Record<string, unknown>>;

/** Of pictures only those that hold no scripts and load nothing. */
const elements = [
  [/^image\/(?:png|jpeg|gif|webp)$/, 'img'],
  [/^audio\/[\w.+-]+$/, 'audio'],
  [/^video\/[\w.+-]+$/, 'video'],
] as const;

const base64Text = /^[\w+/=\s-]*$/;

function text(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string');
}

function media(mediaType: string, base64: string): Media {
  return { type: 'media', element: elements.find(([pattern]) => pattern.test(mediaType))?.[1], mediaType, base64 };
}

/** The bytes that an address of its own holds. */
function inlineMedia(address: string): Media | undefined {
  const [, mediaType, base64 = ''] = /^data:([^;,]*)(?:;[^,]*)?;base64,(.*)$/s.exec(address) ?? [];
  return mediaType === undefined ? undefined : media(mediaType, base64);
}

/**
 * What a part holds as bytes: in the words of the GenAI conventions, of MCP (`data` and `mimeType`, also in a resource), of Anthropic (`source`), of OpenAI
 * (`image_url`), and of the AI SDK (`mediaType`). Nothing where it only names an address: nothing is loaded from anywhere.
 */
export function mediaOf(part: Tree): Media | undefined {
  const inside = Object(part.source ?? part.resource ?? part) as Tree;
  const address = text(part.image_url, (Object(part.image_url) as Tree).url);
  if (address !== undefined) return inlineMedia(address);
  const mediaType = text(inside.mime_type, inside.media_type, inside.mimeType, inside.mediaType, part.modality);
  const base64 = text(inside.data, inside.blob, part.type === 'blob' ? part.content : undefined);
  if (base64?.startsWith('data:') === true) return inlineMedia(base64);
  if (base64 === undefined || mediaType === undefined || !base64Text.test(base64.slice(0, 1_000))) return undefined;
  return media(mediaType, base64);
}

/** How many bytes base64 stands for. */
export function bytesOf(base64: string): number {
  const padding = /=*$/.exec(base64.slice(-2))?.[0].length ?? 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}
