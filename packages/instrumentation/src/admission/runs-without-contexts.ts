import { CONTEXTS_MARK } from '@reenact/trace-model';
import { contextsReach } from '../host/contexts-reach.ts';
import { registeredApi } from '../host/registered-api.ts';
import { guarded } from '../host/report-failure.ts';
import { trapLog } from '../traps/trap-log.ts';

const mark = `${CONTEXTS_MARK}gone what this run called or drew may stand beside it`;

interface MarkedRun {
  markLossy(mark: string): void;
}

/** The roots of runs that went on while contexts reached nobody: each is marked once. */
export class RunsWithoutContexts {
  private readonly marked = new WeakSet<MarkedRun>();

  /** Looks whether contexts reach, and marks these runs where they do not. Never throws. */
  look(runsHere: () => Iterable<MarkedRun | undefined>): void {
    guarded('looking for contexts', () => this.mark(runsHere), undefined);
  }

  private mark(runsHere: () => Iterable<MarkedRun | undefined>): void {
    if (contextsReach()) return;
    const api = registeredApi(globalThis);
    const provider = api?.context === undefined ? 'nobody' : `version ${api.version} of @opentelemetry/api`;
    trapLog.report('no-contexts', `${provider} provides them`);
    for (const run of runsHere()) {
      if (run === undefined || this.marked.has(run)) continue;
      this.marked.add(run);
      run.markLossy(mark);
    }
  }
}
