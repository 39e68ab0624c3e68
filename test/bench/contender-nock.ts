import nock from 'nock';
import type { HttpContender } from './http-contender.ts';

/** nock 15 cannot replay with node:http what it recorded of a connection: only headers of the content are kept. */
function asItReplays({ rawHeaders: _, ...definition }: nock.Definition): nock.Definition {
  return { ...definition, rawHeaders: { 'content-type': 'application/json' } };
}

/** nock, with what its recorder kept defined again for each round. */
export const contenderNock: HttpContender = {
  record: async (act) => {
    nock.recorder.rec({ dont_print: true, output_objects: true });
    await act();
    const kept = (nock.recorder.play() as nock.Definition[]).map(asItReplays);

    nock.restore();
    nock.recorder.clear();
    return {
      replay: async (again) => {
        if (!nock.isActive()) nock.activate();
        nock.disableNetConnect();
        const scopes = nock.define(kept);
        await again();
        const unused = scopes.filter((scope) => !scope.isDone());
        nock.cleanAll();
        if (unused.length > 0) throw new TypeError(`${unused.length} recorded requests were not made.`);
      },
    };
  },
};
