import type { ReplayReport } from '@reenact/trace-model';

/** A report for programs: the report itself, format version 1, indented, with a line end. */
export function renderJson(report: ReplayReport): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}
