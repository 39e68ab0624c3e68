import { crc32 } from 'node:zlib';
import { ReenactError } from '@reenact/trace-model/reenact-error';

/** Behind everything else, as earlier versions pass over what they do not know. */
const CHECK = /,"crc32":"([\da-f]{8})"\}$/;

/** No file of an earlier version ends so. */
const CHECKED_END = '"}';

function checkOf(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

/** A small file of a data directory as JSON, with the CRC-32 of the rest as its last member. */
export function encodeCheckedJson(value: object): Buffer {
  const text = JSON.stringify(value);
  return Buffer.from(`${text.slice(0, -1)},"crc32":"${checkOf(text)}"}`);
}

/** Reads one, also as an earlier version wrote it, without a checksum. Throws where it is not as it was written. */
export function decodeCheckedJson(bytes: Buffer): unknown {
  const text = bytes.toString();
  if (!text.endsWith(CHECKED_END)) return JSON.parse(text);
  const check = CHECK.exec(text)?.[1];
  const rest = text.replace(CHECK, '}');
  if (check === undefined || check !== checkOf(rest)) {
    throw new ReenactError(
      'store-failed',
      'A file of the data directory is damaged: its checksum is that of another content.',
      {
        next: 'Look for errors of the disk in the log of the system (dmesg); what it said is made again.',
      },
    );
  }
  return JSON.parse(rest);
}
