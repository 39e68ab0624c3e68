import { ReenactError } from '@reenact/trace-model';
import { z } from 'zod';
import { type CollectorConfig, retentionSchema } from '../config.ts';
import { resolveTrace } from '../query/resolve-trace.ts';
import type { Summariser } from '../query/summaries/summariser.ts';
import { previewRetention, type RetentionPreview } from '../retention/preview-retention.ts';
import type { Store } from '../store/store.ts';
import { type DeletedUser, deleteUser } from './delete-user.ts';

/** A request as it lies in a file. */
export const storeRequestSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('backup'), directory: z.string().min(1) }),
  z.strictObject({ type: z.literal('delete-trace'), tenant: z.string(), id: z.string() }),
  z.strictObject({ type: z.literal('delete-user'), tenant: z.string(), user: z.string().min(1) }),
  z.strictObject({ type: z.literal('delete-tenant'), tenant: z.string() }),
  z.strictObject({ type: z.literal('keep'), tenant: z.string(), id: z.string(), reason: z.string().optional() }),
  z.strictObject({ type: z.literal('drop-queue'), destination: z.string().min(1) }),
  z.strictObject({ type: z.literal('settle') }),
  z.strictObject({ type: z.literal('preview'), retention: retentionSchema.optional() }),
]);

/** Something to be done with a store, by the collector that has it or, where none runs, by the caller itself. */
export type StoreRequest = z.infer<typeof storeRequestSchema>;

/** What came of it. */
export interface StoreOutcome extends Omit<DeletedUser, 'deletedItems'> {
  /** Spans and log records that were deleted; 0 for what deletes nothing. */
  readonly deletedItems: number;
  /** Whether a collector that had begun with it ended before it was done: what that deleted is not counted. */
  readonly isContinued?: true;
  /** Entries of a queue that was dropped; what they name stays. */
  readonly droppedEntries?: number;
  /** What retention would let go of. */
  readonly preview?: RetentionPreview;
}

/** What requests are done with. */
export interface StoreRequestSources {
  readonly store: Store;
  readonly summariser: Summariser;
  /** Whose queues are in use. */
  readonly destinations: readonly string[];
  /** What retention goes by where the request names nothing else; without, the defaults. */
  readonly retention?: CollectorConfig['retention'];
}

async function dropQueue({ store, destinations }: StoreRequestSources, destination: string): Promise<StoreOutcome> {
  if (destinations.includes(destination)) {
    throw new ReenactError('bad-argument', 'What is queued for this destination is still being sent.', {
      where: destination,
      next: 'Take it out of "forward" in the configuration first, and have the collector read it (SIGHUP).',
    });
  }
  const queued = [...(await store.queueDepths()).keys()];
  if (!queued.includes(destination)) {
    throw new ReenactError('not-found', 'Nothing is queued for this destination.', {
      where: destination,
      next:
        queued.length === 0
          ? 'Nothing is queued at all.'
          : `Name one of those that have a queue: ${queued.join(', ')}.`,
    });
  }
  return { deletedItems: 0, droppedEntries: await store.dropQueue(destination) };
}

/** Who is told that a run is kept relies upon it, also where it is another tenant's. */
async function needStored(store: Store, tenant: string, traceId: string): Promise<void> {
  if ((await store.listSpans(tenant, traceId)).length > 0 || (await store.readLogs(tenant, traceId)).length > 0) return;
  throw new ReenactError('not-found', `Nothing of that run is stored for the tenant ${tenant}.`, {
    where: traceId,
    next: 'List what is here with `reenact runs`, and name the tenant with --tenant.',
  });
}

/** Does what is asked for. Ends early, and throws what may be tried again, where `signal` says so. */
export async function performStoreRequest(
  sources: StoreRequestSources,
  request: StoreRequest,
  signal?: AbortSignal,
): Promise<StoreOutcome> {
  const { store } = sources;
  switch (request.type) {
    case 'backup':
      await store.backup(request.directory);
      return { deletedItems: 0 };
    case 'delete-trace': {
      const traceId = await resolveTrace(store, request);
      return { deletedItems: await store.erase([[request.tenant, traceId]], signal) };
    }
    case 'delete-user':
      return deleteUser(sources, request, signal);
    case 'delete-tenant':
      return { deletedItems: await store.eraseTenant(request.tenant, signal) };
    case 'keep': {
      const traceId = await resolveTrace(store, request);
      await needStored(store, request.tenant, traceId);
      await store.keepRun(request.tenant, traceId, request.reason);
      return { deletedItems: 0 };
    }
    case 'drop-queue':
      return dropQueue(sources, request.destination);
    case 'settle':
      await store.settle();
      return { deletedItems: 0 };
    case 'preview': {
      const retention = request.retention ?? sources.retention ?? retentionSchema.parse({});
      return { deletedItems: 0, preview: await previewRetention(store, retention) };
    }
  }
}
