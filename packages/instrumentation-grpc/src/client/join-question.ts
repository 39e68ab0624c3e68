import type { Metadata } from '@grpc/grpc-js';
import { JOIN_PROOF_HEADER, JOIN_QUESTION_HEADER, pristine } from '@reenact/instrumentation';
import { JOIN_QUESTION_MS_MAX } from '../limits.ts';
import { metadataOf } from '../metadata-pairs.ts';
import type { MetadataClass, WireCall } from '../wire-call.ts';

/** CANCELLED. */
const cancelled = 1;
const tooLate = 'The question was not answered in time';

function proofIn(metadata: Metadata): string | undefined {
  const [proof] = metadata.get(JOIN_PROOF_HEADER);
  return typeof proof === 'string' ? proof : undefined;
}

/**
 * The question whether what answers on a channel takes part in a replay, asked on that channel before a call is made on it: the
 * method `JOIN_QUESTION_METHOD` with a token and an empty message, and nothing of the call. A server that knows nothing of it
 * answers UNIMPLEMENTED.
 */
export class JoinQuestion {
  private readonly call: WireCall;
  private limit: ReturnType<typeof pristine.setTimeout> | undefined;
  private isOff = false;

  /** `call`: made on the channel for that method, not started yet. */
  constructor(call: WireCall) {
    this.call = call;
  }

  /**
   * Resolves with the proof, to be verified, or undefined: there was none, or not in time. Never rejects, and never resolves once
   * it was called off.
   */
  ask(token: string, Made: MetadataClass): Promise<string | undefined> {
    return new Promise((resolve) => {
      const settle = (proof: string | undefined): void => {
        pristine.clearTimeout(this.limit);
        if (!this.isOff) resolve(proof);
      };
      this.limit = pristine.setTimeout(() => this.call.cancelWithStatus(cancelled, tooLate), JOIN_QUESTION_MS_MAX);
      this.limit.unref();
      try {
        this.send(metadataOf(Made, [[JOIN_QUESTION_HEADER, token]]), settle);
      } catch {
        settle(undefined);
      }
    });
  }

  private send(metadata: Metadata, settle: (proof: string | undefined) => void): void {
    let proof: string | undefined;
    this.call.start(metadata, {
      onReceiveMetadata: (given) => {
        proof = proofIn(given);
      },
      onReceiveMessage: () => undefined,
      onReceiveStatus: (status) => settle(status.code === 0 ? (proof ?? proofIn(status.metadata)) : undefined),
    });
    this.call.sendMessageWithContext({}, Buffer.alloc(0));
    this.call.halfClose();
    this.call.startRead();
  }

  /** Whoever wanted to know does not any more. */
  callOff(): void {
    this.isOff = true;
    this.call.cancelWithStatus(cancelled, 'The question is not asked any more');
  }
}
