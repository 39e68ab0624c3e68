import {
  admitDescribed,
  membersOf,
  ServedAttempts,
  type StubAdmission,
  serveStub,
  untilAborted,
} from '@reenact/instrumentation';
import { editedRequest, gateCallOf } from './gate-call.ts';
import type { ForeignFunction, ForeignModel, ModelOptions, ModelRequest, WrapScope } from './internal-types.ts';
import { ModelCall } from './model-call.ts';
import { requestSpan } from './request-view.ts';
import { servedStream } from './served-stream.ts';

/** The methods of models, of every kind, that send something to a provider and resolve with the whole answer or a stream. */
export const MODEL_METHODS: ReadonlySet<string> = new Set([
  'doGenerate',
  'doStream',
  'doEmbed',
  'doRerank',
  'doDecide',
  'doExtract',
]);

type Call = (request: ModelRequest) => unknown;

/** Serves a call that kept no exchange: what the method gave, or how it failed, as it was kept. */
async function serveValue(admission: StubAdmission, { method, options }: ModelRequest): Promise<unknown> {
  const { outcome, path } = admission.recorded;
  const { abortSignal } = options;
  const isStream = 'chunks' in outcome && outcome.chunks.length > 0;
  if (method === 'doStream' && isStream) return servedStream(admission, abortSignal);
  switch (outcome.type) {
    case 'returned':
      if (method === 'doStream') throw admission.exhausted(`${path} was recorded in one piece and is asked to stream.`);
      return serveStub(admission);
    case 'threw':
      return serveStub(admission);
    case 'ended':
    case 'failed':
      throw admission.exhausted(`${path} was recorded as a stream and is asked for one piece.`);
    case 'aborted':
    case 'pending':
      return untilAborted(abortSignal).catch((error: unknown) => {
        admission.crossing.settle({ type: 'aborted', chunks: [], error });
        throw error;
      });
  }
}

function serve(admission: StubAdmission, request: ModelRequest, call: Call): Promise<unknown> {
  const { crossing, recorded } = admission;
  if (recorded.exchanges.length === 0) return serveValue(admission, request);
  const served = new ServedAttempts(admission, 'The provider made request');
  return new ModelCall({ request, crossing, served }).run(() => call(request));
}

/** Asks the gate about one call and does as it says. */
function cross(request: ModelRequest, call: Call, scope: WrapScope): unknown {
  const admission = admitDescribed('a call of a model', () => scope.admit(gateCallOf(request, scope)));
  switch (admission.type) {
    case 'pass':
      return call(request);
    case 'refuse':
      return Promise.reject(admission.error);
    case 'run': {
      const { crossing, edited } = admission;
      const asked = edited === undefined ? request : editedRequest(request, edited.input);
      if (edited !== undefined) crossing.describe(requestSpan(asked));
      return new ModelCall({ request: asked, crossing, served: undefined }).run(() => call(asked));
    }
    case 'stub':
      return serve(admission, request, call);
  }
}

/** One method of a model as the gate sees it: each call is a crossing. */
export function gatedMethod(
  model: ForeignModel,
  method: string,
  original: ForeignFunction,
  scope: WrapScope,
): ForeignFunction {
  return function gated(this: unknown, ...parameters: unknown[]): unknown {
    if (!scope.isActive()) return Reflect.apply(original, model, parameters);
    const [options, ...rest] = parameters;
    const request = { model, method, options: membersOf(options) as ModelOptions };
    const call: Call = (asked) => {
      const given = asked.options === request.options ? options : asked.options;
      return Reflect.apply(original, asked.model, [given, ...rest]);
    };
    return cross(request, call, scope);
  };
}
