import { Option } from 'commander';
import { DEFAULT_COLLECTOR_URL } from '../reading/default-collector.ts';

/** `--collector` of the commands that read from one. */
export function collectorOption(): Option {
  return new Option(
    '--collector <url>',
    `collector to read from (default: $REENACT_COLLECTOR, else ${DEFAULT_COLLECTOR_URL})`,
  );
}
