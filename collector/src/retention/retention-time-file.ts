import { join } from 'node:path';
import { z } from 'zod';
import { RETENTION_COPY_FILE, RETENTION_TIME_FILE } from '../store/data-directory.ts';
import { decodeCheckedJson, encodeCheckedJson } from '../store/files/checked-json.ts';
import { systemDisk } from '../store/files/disk.ts';
import { readWhole, replaceFile } from '../store/files/replace-file.ts';
import type { RetentionTime } from './retention-clock.ts';

const retentionTime = z.object({
  wallMs: z.number(),
  uptimeMs: z.number(),
  boot: z.string().optional(),
  ranMs: z.number(),
  doubts: z.array(z.object({ aheadMs: z.number(), heldMs: z.number(), isKnown: z.boolean().optional() })),
  sinceMs: z.number().optional(),
  lostMs: z.number().optional(),
  epochs: z.array(z.object({ fromMs: z.number(), toMs: z.number(), byMs: z.number(), maybeMs: z.number() })).optional(),
});

/** What the files say, and whether that is only in the copy. */
export interface KeptRetentionTime {
  readonly time: RetentionTime;
  readonly isFromCopy: boolean;
}

/** Where retention's clock was, from whichever of both files can be read; undefined where none can. */
export function readRetentionTime(dataDirectory: string): KeptRetentionTime | undefined {
  for (const name of [RETENTION_TIME_FILE, RETENTION_COPY_FILE]) {
    const time = readFile(dataDirectory, name);
    if (time !== undefined) return { time, isFromCopy: name === RETENTION_COPY_FILE };
  }
  return undefined;
}

function readFile(dataDirectory: string, name: string): RetentionTime | undefined {
  try {
    return retentionTime.parse(decodeCheckedJson(readWhole(systemDisk, join(dataDirectory, name))));
  } catch {
    return undefined;
  }
}

/** Where it cannot be written, as on a full disk, the one from before stays, from which the next process has only more to doubt. */
export function writeRetentionTime(dataDirectory: string, time: RetentionTime): void {
  const bytes = encodeCheckedJson(time);
  try {
    for (const name of [RETENTION_TIME_FILE, RETENTION_COPY_FILE]) {
      replaceFile(systemDisk, dataDirectory, name, [bytes]);
    }
  } catch {
    // Tried again with the next pass.
  }
}
