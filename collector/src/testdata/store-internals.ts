export { type Disk, systemDisk } from '../store/disk.ts';
export { directoryBytes } from '../store/store-reader.ts';
export { spansToFrame } from '../store/to-frame.ts';
export { StoreWriter } from '../store/worker/store-writer.ts';
export { settleHurriedly } from './settle-hurriedly.ts';
