import type { CaptureLevel } from '@reenact/trace-model';
import type { SemconvView } from '../gate/boundary-definition.ts';
import type { Admission, GateCall } from '../gate/gate.ts';
import type { MemberPatcher } from '../patching/member-patcher.ts';
import type { RequestOptions, StainlessClient } from './stainless-client.ts';

/** What is the same for all calls of one patched client class. */
export interface CallSettings {
  readonly capture: CaptureLevel;
  /** `<package>@<version>`; undefined where the version could not be told. */
  readonly sdk: string | undefined;
}

/** What a patch is made with. */
export interface PatchSettings extends CallSettings {
  /** Asks the gate about a call. */
  readonly admit: (call: GateCall) => Admission;
}

/** What one call of a client is to the gate. */
export interface ClientGateCall {
  readonly gateCall: GateCall;
  /** What the body of a response says, streamed or not; may throw. Absent where the library gives no view of this call. */
  readonly responseView?: ((body: string, isStreamed: boolean) => SemconvView) | undefined;
}

/** A member of the client that may ask somebody for credentials: a served call sends nothing, so it must not be asked. */
export interface CredentialMember {
  readonly key: string;
  /** What it gives for a call that is served; called as the member is. */
  served(client: StainlessClient, parameters: readonly unknown[]): unknown;
}

/** What differs between the libraries whose clients the Stainless generator makes; everything else is shared here. */
export interface StainlessLibrary {
  /** The package, as in `import`. */
  readonly name: string;
  /** What this library's package, whichever copy of it, has replaced in clients and client classes. */
  readonly patched: MemberPatcher;
  readonly credentials: readonly CredentialMember[];
  /**
   * Where the attempts of a client are seen that is patched alone. `fetch`: its own `fetch`, for clients that compare their
   * `fetchWithTimeout` with their class's. Whole classes are always patched at `fetchWithTimeout`.
   */
  readonly attemptMember: 'fetch' | 'fetchWithTimeout';
  /** Describes one call of a client to the gate. */
  describeCall(client: StainlessClient, options: RequestOptions, settings: CallSettings): ClientGateCall;
  /** Whether nothing follows an event stream that ends so. */
  isWhole(tail: string): boolean;
}
