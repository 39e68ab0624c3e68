import { type Context, context as contexts } from '@opentelemetry/api';
import {
  type Admission,
  admit,
  askToJoin,
  type CapturedCall,
  captureCall,
  confirmed,
  failUnheard,
  fetchOfOwner,
  guarded,
  handedOn,
  isTelemetryHost,
  type OpenCrossing,
  type PropagatedHeader,
  pristine,
  propagatedHeaders,
  runInContext,
  type StubAdmission,
  telemetryContext,
  whileFetching,
  wireMode,
  withOwnedWire,
  withPlaceBelow,
} from '@reenact/instrumentation';
import { madeAtExit } from '../made-at-exit.ts';
import type { SentBody } from '../message-body.ts';
import { outboundCall, tellBegunRequest } from '../outbound/outbound-call.ts';
import type { OutboundSettings } from '../outbound/outbound-settings.ts';
import { untoldHeaders } from '../outbound/untold-headers.ts';
import { type FetchParameters, type FetchRequest, readFetchParameters } from './fetch-arguments.ts';
import { heldFetch } from './held-fetch.ts';
import { RecordedFetch } from './recorded-fetch.ts';
import { type KnownRequest, knownRequest, markRead, serveFetch } from './replayed-fetch.ts';
import { answeredBelow, asksBelow, isRecordedBelow, withinFetch } from './within-fetch.ts';

type Fetch = typeof fetch;
type Call = (parameters: FetchParameters) => Promise<Response>;

/** One call of `fetch` while the gate asks about it. */
class GatedFetch {
  private readonly request: FetchRequest;
  private readonly settings: OutboundSettings;
  private readonly call: Call;

  constructor(request: FetchRequest, settings: OutboundSettings, call: Call) {
    this.request = request;
    this.settings = settings;
    this.call = call;
  }

  private admission(sent: SentBody, calledFrom?: CapturedCall): Admission {
    return admit({ ...outboundCall(this.request, sent, this.settings.capture), asksToJoin: true, calledFrom });
  }

  /** Sends at once; what is not known of the body yet is added while it is sent. */
  record(): Promise<Response> {
    const { request } = this;
    const body = request.body.type === 'known' ? request.body.body : undefined;
    const admission = guarded<Admission>('admitting a fetch', () => this.admission({ body }), { type: 'pass' });
    if (admission.type !== 'run') return this.call(request.parameters);
    return this.run(admission.crossing, request.parameters, true);
  }

  private run(crossing: OpenCrossing, parameters: FetchParameters, watches: boolean): Promise<Response> {
    const recorded = guarded('recording a fetch', () => new RecordedFetch(crossing, this.request), undefined);
    if (recorded === undefined) return this.call(parameters);
    const sent = this.positioned(watches ? recorded.watched() : parameters, crossing);
    return recorded.send(() => this.call(sent));
  }

  /** Never throws: what cannot be told is left out. */
  private positioned(parameters: FetchParameters, { context }: OpenCrossing): FetchParameters {
    return guarded('telling a context', () => this.withHeaders(parameters, this.propagated(context)), parameters);
  }

  private propagated(context: Context): readonly PropagatedHeader[] {
    const { url, headers } = this.request;
    return untoldHeaders(propagatedHeaders(url, (name) => headers.get(name) ?? undefined, context));
  }

  private withHeaders(parameters: FetchParameters, added: readonly PropagatedHeader[]): FetchParameters {
    if (added.length === 0) return parameters;
    const sent = new Headers(this.request.headers);
    for (const [name, value] of added) {
      if (value === undefined) sent.delete(name);
      else sent.set(name, value);
    }
    const [input, init] = parameters;
    return [input, Object.create(init ?? null, { headers: { value: sent, enumerable: true } }) as RequestInit];
  }

  /** Decides once the whole request is known; nothing is sent before. `calledFrom`: taken while the host's call is on the stack. */
  async replay(calledFrom: CapturedCall | undefined): Promise<Response> {
    const active = contexts.active();
    const around = this.request.body.type === 'known' ? active : tellBegunRequest(() => this.request);
    const reading = runInContext(around, () => knownRequest(this.request));
    const known = reading instanceof Promise ? await this.unlessEnded(reading, active) : reading;
    const { url } = this.request;
    // Once a body has been waited for, that call is no longer on the stack, and its line is looked for as before.
    const calledBy = reading instanceof Promise ? undefined : calledFrom;
    const admission = contexts.with(active, () => this.admission(known, calledBy));
    failUnheard(admission, known.failure);
    const confirming = confirmed(admission, url, (token) => askToJoin(url, token));
    return this.follow(confirming instanceof Promise ? await confirming : confirming, known);
  }

  /** Where the process ends while the body is read, the request was begun with a body that is not known. */
  private async unlessEnded<Known>(reading: Promise<Known>, around: Context): Promise<Known> {
    const read = madeAtExit(() => void contexts.with(around, () => this.admission({ body: undefined })));
    try {
      return await reading;
    } finally {
      read();
    }
  }

  /** Serves without looking at what is served: nobody would be told. */
  private serve(admission: StubAdmission): Promise<Response> {
    const { crossing } = admission;
    const served = runInContext(withOwnedWire(crossing.context), () => serveFetch(admission, this.request.signal));
    return handedOn(served, {
      fulfilled: () => crossing.settle({ type: 'returned', value: undefined }),
      rejected: (error) => crossing.settle({ type: 'threw', error }),
    });
  }

  private follow(admission: Admission, { parameters, ...sent }: KnownRequest): Promise<Response> {
    switch (admission.type) {
      case 'pass':
        return this.call(parameters);
      case 'refuse':
        return Promise.reject(admission.error);
      case 'run':
        return this.run(admission.crossing, parameters, false);
      case 'stub': {
        if (isRecordedBelow(admission.recorded) && asksBelow(parameters))
          return answeredBelow({ admission, sent }, () => pristine.fetch(...parameters));
        markRead(this.request, admission.crossing);
        if (!admission.crossing.isObserved) return this.serve(admission);
        const recorded = new RecordedFetch(admission.crossing, this.request);
        return recorded.send(() => serveFetch(admission, this.request.signal));
      }
    }
  }
}

/** The global `fetch` as the gate sees it: each call is a crossing, answered as the gate says. */
export function gatedFetch(original: Fetch, settings: OutboundSettings): Fetch {
  const below = { fetch: original };
  function fetch(this: unknown, ...parameters: FetchParameters): Promise<Response> {
    const call: Call = (given) => whileFetching(withinFetch(() => Reflect.apply(below.fetch, this, given)));
    // A crossing around may keep its own exchanges at this layer; the request is then none of ours.
    const owned = fetchOfOwner(parameters, call);
    if (owned !== undefined) return owned;
    const mode = settings.isActive() ? wireMode() : 'pass';
    if (mode === 'pass') return heldFetch(parameters) ?? call(parameters);
    const request = guarded('reading a fetch', () => readFetchParameters(parameters), undefined);
    if (request === undefined || settings.ignores(request)) return call(parameters);
    if (isTelemetryHost(request.url)) {
      const sent = request.parameters;
      return contexts.with(telemetryContext(contexts.active()), () => heldFetch(sent, true) ?? call(sent));
    }
    const gated = new GatedFetch(request, settings, call);
    return mode === 'record' ? gated.record() : gated.replay(captureCall(fetch));
  }
  return withPlaceBelow(fetch, { owner: below, key: 'fetch' });
}
