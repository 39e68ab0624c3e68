import type { LogsData, TracesData } from '@reenact/otlp';
import type { Store, StoredSpan } from '../../store/store.ts';
import { type AssembledTrace, assembleWithLogs } from './assemble-trace.ts';
import type { ContentReferences } from './content-references.ts';
import { decodeLogs, decodeTrace } from './decode-trace.ts';

/** Reads traces and their log records, with the content that references in them lead to. */
export class StoredTraces {
  private readonly store: Store;
  private readonly references: ContentReferences;

  constructor(store: Store, references: ContentReferences) {
    this.store = store;
    this.references = references;
  }

  /** Spans that were read already, as one document. Throws ReenactError `recording-damaged`. */
  async decode(spans: readonly StoredSpan[]): Promise<TracesData> {
    return this.references.resolveTraces(decodeTrace(spans));
  }

  /** The log records of a trace; none is an empty document. */
  async readLogs(tenant: string, traceId: string): Promise<LogsData> {
    return this.references.resolveLogs(decodeLogs(await this.store.readLogs(tenant, traceId)));
  }

  /** Spans that were read already, with what log records add to them. */
  async assemble(tenant: string, traceId: string, spans: readonly StoredSpan[]): Promise<AssembledTrace> {
    return assembleWithLogs(await this.decode(spans), () => this.readLogs(tenant, traceId));
  }
}
