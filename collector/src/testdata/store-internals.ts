export { SPAN_BATCH_ITEMS } from '../store/limits.ts';
export { type Disk, systemDisk } from '../store/files/disk.ts';
export { SpanIndex } from '../store/index/span-index.ts';
export { directoryBytes } from '../store/store-reader.ts';
export { spansToFrame } from '../store/to-frame.ts';
export { StoreWriter } from '../store/worker/store-writer.ts';
export { settleHurriedly } from './settle-hurriedly.ts';
export { summariseTraces } from './summarise-traces.ts';
