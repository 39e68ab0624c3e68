// What the agent says depends on a feature flag; FLAG says which of its variants is in force.
import { InMemoryProvider, OpenFeature } from '@openfeature/server-sdk';
import { agent, openFeatureHook } from 'reenact';

const variants = { short: 'short', long: 'long' };
const flag = { variants, defaultVariant: process.env.FLAG === 'long' ? 'long' : 'short', disabled: false } as const;
await OpenFeature.setProviderAndWait(new InMemoryProvider({ 'answer-length': flag }));
OpenFeature.addHooks(openFeatureHook());

const writer = agent('writer', () => OpenFeature.getClient().getStringValue('answer-length', 'none'));
console.log(await writer());
