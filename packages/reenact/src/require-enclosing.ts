import { type BoundaryKind, type Recording, ReenactError } from '@reenact/trace-model';

const clientKinds: ReadonlySet<BoundaryKind> = new Set(['model', 'embedding', 'http']);

/**
 * Refuses to replay a run that is one call of a client alone, as an app with a provider of its own records it where no agent is around:
 * a replay runs the root's code again, and here that is the request itself. Throws ReenactError `unsupported`.
 */
export function requireEnclosing({ crossings, roots, bySpanId }: Recording, rootSpanId: string): void {
  const root = bySpanId.get(rootSpanId);
  if (root === undefined || !clientKinds.has(root.kind) || root.exchanges.length === 0) return;
  if (crossings.some(({ parentSpanId }) => parentSpanId === rootSpanId)) return;
  const beside = roots.length === 1 ? '' : ` Its trace holds ${roots.length} such runs.`;
  throw new ReenactError(
    'unsupported',
    `This run is one call of a client, with nothing of your program around it that could be run again.${beside}`,
    {
      where: root.path,
      next: 'Put agent("name", fn) around the work, or start the program with `--import reenact/register`, which does so for the whole process, and record again. To send this one call for real, allow its host with --allow-host.',
    },
  );
}
