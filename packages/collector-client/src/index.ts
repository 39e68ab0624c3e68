export { type CollectorClient, type CollectorClientOptions, createCollectorClient } from './collector-client.ts';
