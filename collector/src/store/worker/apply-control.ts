import type { ControlBody, ControlRequest } from './control-frame.ts';
import type { Eraser } from './eraser.ts';

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
      const { traces, records, isUrgent } = request;
      const erased = traces.map(([tenant, traceId]) => eraser.erase(tenant, traceId, beforeId, isUrgent));
      if (records !== undefined) erased.push(eraser.eraseRecords(records, isUrgent));
      const items = erased.reduce((sum, one) => sum + one.items, 0);
      const lastItem = Math.max(0, ...erased.map((one) => one.lastItem));
      // In packs what nobody waits for may stay until much of one is dead. In the log it is plain text, and would stay for as long as nothing is written over it.
      if (items > 0) eraser.eraseLog(segmentOf(lastItem));
      return { ...request, items };
    }
    case 'keep':
      eraser.keep(request.tenant, request.traceId, request.reason);
      return { ...request, items: 0 };
  }
}
