import { digestOf, ReenactError } from '@reenact/trace-model';
import { z } from 'zod';
import { guardOptionsSchema } from '../guard/guard-options.ts';
import { planSchema } from '../plan/plan-schema.ts';

const sharedOrderSchema = z.strictObject({
  version: z.literal(1),
  rootSpanId: z.string().min(1),
  plan: planSchema,
  guard: guardOptionsSchema,
  /** Of the recording that comes along. */
  recordingDigest: z.string().min(1),
});

/** What a shared process is told of a replay beside the recording. */
export type SharedOrder = Omit<z.infer<typeof sharedOrderSchema>, 'version' | 'recordingDigest'>;

/** An order for the replay service, bound to this recording. */
export function writeSharedOrder(order: SharedOrder, recordingText: string): string {
  return JSON.stringify({ version: 1, ...order, recordingDigest: digestOf(recordingText) });
}

/** Reads an order that came with this recording. Throws ReenactError `recording-damaged`. */
export function readSharedOrder(text: string, recordingText: string): SharedOrder {
  const damaged = (detail: string): ReenactError =>
    new ReenactError('recording-damaged', `What the replay service gave cannot be used: ${detail}.`, {
      next: 'Start the replay again, with a driver and services of the same version.',
    });
  let tree: unknown;
  try {
    tree = JSON.parse(text);
  } catch {
    throw damaged('the order is not JSON');
  }
  const parsed = sharedOrderSchema.safeParse(tree);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw damaged(`${issue?.path.join('.') ?? '$'}: ${issue?.message ?? 'malformed'}`);
  }
  const { version: _version, recordingDigest, ...order } = parsed.data;
  if (digestOf(recordingText) !== recordingDigest) throw damaged('the recording does not match its digest');
  return order;
}
