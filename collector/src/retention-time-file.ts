import { join } from 'node:path';
import { z } from 'zod';
import type { RetentionTime } from './retention-clock.ts';
import { decodeCheckedJson, encodeCheckedJson } from './store/checked-json.ts';
import { RETENTION_TIME_FILE } from './store/data-directory.ts';
import { systemDisk } from './store/disk.ts';
import { readWhole, replaceFile } from './store/replace-file.ts';

const retentionTime = z.object({
  wallMs: z.number(),
  uptimeMs: z.number(),
  boot: z.string().optional(),
  ranMs: z.number(),
  doubts: z.array(z.object({ aheadMs: z.number(), heldMs: z.number(), isKnown: z.boolean().optional() })),
  sinceMs: z.number().optional(),
  epochs: z.array(z.object({ fromMs: z.number(), toMs: z.number(), byMs: z.number(), maybeMs: z.number() })).optional(),
});

/** Where retention's clock was; undefined where there is no file, or it cannot be read: what the store knows is gone on from then. */
export function readRetentionTime(dataDirectory: string): RetentionTime | undefined {
  try {
    return retentionTime.parse(decodeCheckedJson(readWhole(systemDisk, join(dataDirectory, RETENTION_TIME_FILE))));
  } catch {
    return undefined;
  }
}

/** Where it cannot be written, as on a full disk, the one from before stays, from which the next process has only more to doubt. */
export function writeRetentionTime(dataDirectory: string, time: RetentionTime): void {
  try {
    replaceFile(systemDisk, dataDirectory, RETENTION_TIME_FILE, [encodeCheckedJson(time)]);
  } catch {
    // Tried again with the next pass.
  }
}
