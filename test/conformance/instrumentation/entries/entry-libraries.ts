import type { EntryLibrary } from './entry-library.ts';
import { grpcEntry } from './grpc-entry.ts';
import { httpEntries } from './http-entries.ts';
import { http2Entry } from './http2-entry.ts';

/** Every row of the table of entries, in its order. */
export const entryLibraries: readonly EntryLibrary[] = [...httpEntries, http2Entry, grpcEntry];
