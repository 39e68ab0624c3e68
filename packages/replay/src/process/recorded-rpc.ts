import { isWithheld } from '@reenact/instrumentation';
import { CANONICAL_POLICIES, type Crossing, payloadTree, ReenactError } from '@reenact/trace-model';
import { z } from 'zod';

const rpcSchema = z.object({
  method: z.string(),
  messages: z
    .array(
      z.union([
        z.object({ text: z.string() }),
        z.object({ base64: z.string() }),
        z.object({ bytes: z.number(), sha256: z.string() }),
      ]),
    )
    .optional(),
  metadata: z.array(z.tuple([z.string(), z.string()])).default([]),
});

/** A recorded inbound gRPC call, ready to be made again. */
export interface RecordedRpc {
  /** `/<package>.<service>/<method>`. */
  readonly method: string;
  /** Each message as it was serialized, in the order they were sent. */
  readonly messages: readonly Buffer[];
  /** What came along; binary values, whose names end in `-bin`, as base64. */
  readonly metadata: readonly (readonly [string, string])[];
  /** Metadata whose values were redacted, and are not sent. */
  readonly withheld: readonly string[];
}

const { rpcEntry } = CANONICAL_POLICIES;

function coldCase(root: Crossing, what: string, next: string): ReenactError {
  return new ReenactError('cold-case', `The call that entered ${root.path} cannot be made again: ${what}.`, {
    where: root.path,
    next,
  });
}

function messagesOf(root: Crossing, messages: z.infer<typeof rpcSchema>['messages']): Buffer[] {
  if (messages === undefined) {
    const next = 'Replay a run whose caller ended its messages before the call was over, or enter it by a function.';
    throw coldCase(root, 'its caller never ended its messages, so nobody knows whether they are all', next);
  }
  const isUnreadable = root.lossy.some((place) => place.startsWith('/input/messages'));
  if (isUnreadable || (root.canonicalPolicy === rpcEntry.name && messages.length !== 1)) {
    const next = 'Let requestDeserialize give an object: the bytes of a message are remembered by it.';
    throw coldCase(root, 'its messages are deserialized to something that is no object, and were not kept', next);
  }
  return messages.map((message) => {
    if ('text' in message) return Buffer.from(message.text, 'utf8');
    if ('base64' in message) return Buffer.from(message.base64, 'base64');
    const next = 'Replay a run with shorter messages.';
    throw coldCase(root, `its messages of ${message.bytes} bytes were too long to keep`, next);
  });
}

/** Reads the gRPC call a run was entered by. Throws ReenactError `cold-case` where not all of it was kept. */
export function recordedRpcOf(root: Crossing): RecordedRpc {
  const tree = root.input?.data === undefined ? undefined : payloadTree(root.input);
  const parsed = rpcSchema.safeParse(tree);
  if (!parsed.success) {
    throw coldCase(root, 'it was not recorded', 'Record inbound gRPC calls with capture: "full".');
  }
  const { method, messages, metadata } = parsed.data;
  const withheld = metadata.filter(([, value]) => isWithheld(value)).map(([name]) => name);
  return {
    method,
    messages: messagesOf(root, messages),
    metadata: metadata.filter(([, value]) => !isWithheld(value)),
    withheld: [...new Set(withheld)],
  };
}
