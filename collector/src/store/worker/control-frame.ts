/** Traces to be gone: tenant and trace id of each. */
export interface EraseRequest {
  readonly type: 'erase';
  readonly traces: readonly (readonly [tenant: string, traceId: string])[];
  /** Log records that name no trace, by their ids. */
  readonly records?: readonly number[];
  /** Whether their bytes must leave the disk now, as when somebody asks for it, or may wait for packs to be rewritten. */
  readonly isUrgent: boolean;
}

/** A run to be kept beyond its time; `reason` null lets go of it. */
export interface KeepRequest {
  readonly type: 'keep';
  readonly tenant: string;
  readonly traceId: string;
  readonly reason: string | null;
}

/** What a control frame asks for. */
export type ControlRequest = EraseRequest | KeepRequest;

/** What a control frame holds: the request, and how many items went, so that a check of the chain adds up. */
export type ControlBody = ControlRequest & { readonly items: number };

/** The body of a control frame. */
export function encodeControl(body: ControlBody): Buffer {
  return Buffer.from(JSON.stringify(body));
}

/** Reads the body of a control frame; it was checked against its checksum before. */
export function decodeControl(body: Buffer): ControlBody {
  return JSON.parse(body.toString()) as ControlBody;
}
