import { readFileSync } from 'node:fs';

/** A `.proto` file, by its text and its name without the folder of its package: `trace.proto`. */
export interface ProtoSource {
  readonly baseName: string;
  readonly text: string;
}

/** Reads a `.proto` file; its folders may be written with dots, as in `opentelemetry.proto.trace.v1.trace.proto`. */
export function readProtoSource(file: URL): ProtoSource {
  return { baseName: file.pathname.split(/[./]/).slice(-2).join('.'), text: readFileSync(file, 'utf8') };
}
