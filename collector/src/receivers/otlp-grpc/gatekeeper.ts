import {
  type Metadata,
  ResponderBuilder,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  ServerListenerBuilder,
} from '@grpc/grpc-js';
import { ReenactError, toReenactError } from '@reenact/trace-model';
import type { Access, Authorizer } from '../../access/authorizer.ts';
import { credentialsIn } from '../../access/credentials-of.ts';
import type { RequestTimes } from '../../connections/stall-watch.ts';
import type { Refusals } from '../../refusals.ts';
import type { OfferedService } from '../../services/offered-service.ts';
import type { Admission, Room } from '../admission.ts';
import { GRPC_REQUEST_RESERVED_BYTES } from '../limits.ts';
import { statusOf } from './status.ts';
import { type MessageWatch, watchMessage } from './watch-message.ts';

/** What was settled about a call before its request is read. */
interface AdmittedCall {
  readonly access: Access;
  readonly room: Room;
  /** Whether a handler has the call, and thereby gives the room back. */
  isTaken: boolean;
}

/** What calls are measured against. */
export interface GatekeeperOptions {
  readonly authorizer: Authorizer;
  readonly admission: Admission;
  readonly refusals: Refusals;
  /** Largest message, on the wire and after decompression. */
  readonly requestBytesMax: number;
  /** How long a message that ingests may take to come. */
  readonly requestTimes: RequestTimes;
}

/** What a call of one method needs before it is let in, and what it may send. */
export type MethodRule = Pick<OfferedService, 'scope' | 'callBytesMax'>;

/** A method that is not known is refused only after the caller has shown a token. */
const UNKNOWN_METHOD: MethodRule = { scope: 'any' };

/**
 * Stands before every method of a gRPC server: a call is refused, and its request never read, when its sender may not make
 * it or when there is no room. Methods that ingest hold room from then on, more as their message arrives and is inflated.
 */
export class Gatekeeper {
  private readonly authorizer: Authorizer;
  private readonly admission: Admission;
  private readonly refusals: Refusals;
  private readonly requestBytesMax: number;
  private readonly requestTimes: RequestTimes;
  private readonly rules: ReadonlyMap<string, MethodRule>;
  private readonly admitted = new WeakMap<Metadata, AdmittedCall>();

  /** `rules` are by path, as in `/package.Service/Method`. */
  constructor(
    { authorizer, admission, refusals, requestBytesMax, requestTimes }: GatekeeperOptions,
    rules: ReadonlyMap<string, MethodRule>,
  ) {
    this.authorizer = authorizer;
    this.admission = admission;
    this.refusals = refusals;
    this.requestBytesMax = requestBytesMax;
    this.requestTimes = requestTimes;
    this.rules = rules;
  }

  /** For the server's `interceptors`. */
  readonly interceptor: ServerInterceptor = ({ path }, call) => {
    let admitted: AdmittedCall | undefined;
    let isRefused = false;
    let isOver = false;
    const refuse = (thrown: unknown): void => {
      isRefused = true;
      // Its end is told only once the sender lets go of the call, too.
      if (admitted?.isTaken === false) admitted.room.release();
      this.refuse(call, thrown);
    };
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, proceed) => {
        try {
          const rule = this.rules.get(path) ?? UNKNOWN_METHOD;
          admitted = this.admit(rule, metadata);
          this.watch(call, rule, admitted?.room, { onRefused: refuse, isOver: () => isOver });
        } catch (thrown) {
          refuse(thrown);
          return;
        }
        proceed(metadata);
      })
      .withOnCancel(() => {
        isOver = true;
        // Told at the end of every call, also where the request was too large or broke off and no handler saw it.
        if (admitted?.isTaken === false) admitted.room.release();
      })
      .build();
    // A handler that still answers what came before would write behind the end of the call, and its caller would never hear the status.
    const responder = new ResponderBuilder()
      .withStart((start) => start(listener))
      .withSendMessage((message, proceed) => (isRefused ? undefined : proceed(message)))
      .withSendStatus((sent, proceed) => (isRefused ? undefined : proceed(sent)))
      .build();
    return new ServerInterceptingCall(call, responder);
  };

  /** Hands over a call that ingests: its room must be released when it is over. */
  take(metadata: Metadata): AdmittedCall {
    const admitted = this.admitted.get(metadata);
    if (admitted === undefined) throw new ReenactError('internal', 'A call came past the gatekeeper.');
    admitted.isTaken = true;
    return admitted;
  }

  /** Calls that neither ingest nor have a bound of their own are measured by message, by grpc-js. */
  private watch(
    call: ServerInterceptingCallInterface,
    { callBytesMax }: MethodRule,
    room: Room | undefined,
    ends: Pick<MessageWatch, 'isOver' | 'onRefused'>,
  ): void {
    const allow = (bytes: number): void => {
      room?.atLeast(bytes);
      if (callBytesMax !== undefined && bytes > callBytesMax) throw tooMuchSent(callBytesMax);
    };
    if (room === undefined && callBytesMax === undefined) return;
    const times = room === undefined ? {} : { times: this.requestTimes };
    const onUnread = (error: ReenactError): void => this.refusals.refused(error, 'grpc', call.getPeer());
    watchMessage(call, { ...ends, allow, onUnread, bytesMax: this.requestBytesMax, ...times });
  }

  private refuse(call: ServerInterceptingCallInterface, thrown: unknown): void {
    const error = toReenactError(thrown);
    this.refusals.refused(error, 'grpc', call.getPeer());
    call.sendStatus(statusOf(error));
  }

  private admit({ scope }: MethodRule, metadata: Metadata): AdmittedCall | undefined {
    if (scope === 'none') return undefined;
    const access = this.authorizer.authorize(credentialsIn(metadata), scope);
    this.admission.needOpen();
    if (scope !== 'ingest') return undefined;
    const room = this.admission.enter(access.tenant);
    room.atLeast(GRPC_REQUEST_RESERVED_BYTES);
    const admitted = { access, room, isTaken: false };
    this.admitted.set(metadata, admitted);
    return admitted;
  }
}

function tooMuchSent(bytesMax: number): ReenactError {
  return new ReenactError('too-large', `Calls of this method may send ${bytesMax} bytes.`, {
    next: 'Make another call for the rest.',
  });
}
