import type { FetchParameters } from './fetch-arguments.ts';

/** The parameters of a call of `fetch` with another body in the place of its own; all else is sent as the call says. */
export function sentWith([input, init]: FetchParameters, body: unknown): FetchParameters {
  const members: PropertyDescriptorMap = { body: { value: body, enumerable: true } };
  if (input instanceof Request && (init?.body === undefined || init.body === null)) {
    members.duplex = { value: 'half', enumerable: true };
    // An init that says anything has the request forget who refers to it.
    if (init === undefined || Object.keys(init).length === 0) {
      members.referrer = { value: input.referrer, enumerable: true };
      members.referrerPolicy = { value: input.referrerPolicy, enumerable: true };
    }
  }
  return [input, Object.create(init ?? null, members) as RequestInit];
}
