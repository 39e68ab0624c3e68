/** How many bytes tell what a file is: none of these is so long without a zero, and hardly a text has one. */
export const MEDIA_HEAD_BYTES = 4_096;

/** What pictures, sounds and films begin with: PNG, JPEG, GIF, FLAC, Ogg, MP3 with and without a tag, Matroska. */
const beginnings: readonly Buffer[] = [
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]),
  Buffer.from([0xff, 0xd8, 0xff]),
  Buffer.from('GIF8'),
  Buffer.from('fLaC'),
  Buffer.from('OggS'),
  Buffer.from('ID3'),
  Buffer.from([0xff, 0xfb]),
  Buffer.from([0x1a, 0x45, 0xdf, 0xa3]),
];

/** MP4 and its like have it behind their first length. */
const containerType = Buffer.from('ftyp');
const CONTAINER_TYPE_AT = 4;

/** RIFF says at its ninth byte what it holds. */
const riffTypes: readonly string[] = ['WEBP', 'WAVE', 'AVI '];

/** Whether bytes are those of a picture, a sound or a film: nobody writes a secret there, and they are the longest that are recorded. */
export function areOfMedia(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, MEDIA_HEAD_BYTES));
  return beginsAsMedia(head) && head.includes(0);
}

function beginsAsMedia(head: Buffer): boolean {
  if (beginnings.some((beginning) => head.subarray(0, beginning.length).equals(beginning))) return true;
  if (head.subarray(CONTAINER_TYPE_AT, CONTAINER_TYPE_AT + containerType.length).equals(containerType)) return true;
  return head.toString('latin1', 0, 4) === 'RIFF' && riffTypes.includes(head.toString('latin1', 8, 12));
}
