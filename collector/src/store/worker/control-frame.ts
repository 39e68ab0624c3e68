import type { Eraser } from './eraser.ts';

/** Traces to be gone: tenant and trace id of each. */
export interface EraseRequest {
  readonly type: 'erase';
  readonly traces: readonly (readonly [tenant: string, traceId: string])[];
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

/**
 * Does what a control frame asks for, inside a transaction, to items with ids below `beforeId`. `segmentOf` names the last segment of the log that may
 * hold an item.
 */
export function applyControl(
  eraser: Eraser,
  request: ControlRequest,
  beforeId: number,
  segmentOf: (item: number) => number,
): ControlBody {
  switch (request.type) {
    case 'erase': {
      let items = 0;
      let lastItem = 0;
      for (const [tenant, traceId] of request.traces) {
        const erased = eraser.erase(tenant, traceId, beforeId, request.isUrgent);
        items += erased.items;
        lastItem = Math.max(lastItem, erased.lastItem);
      }
      // In packs what nobody waits for may stay until much of one is dead. In the log it is plain text, and would stay for as long as nothing is written over it.
      if (items > 0) eraser.eraseLog(segmentOf(lastItem));
      return { ...request, items };
    }
    case 'keep':
      eraser.keep(request.tenant, request.traceId, request.reason);
      return { ...request, items: 0 };
  }
}
