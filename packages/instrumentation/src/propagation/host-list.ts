interface HostRule {
  readonly name: string;
  readonly port: number | undefined;
}

function hostRule(text: string): HostRule {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text);
  // Several colons without brackets: an IPv6 address without a port.
  if (match === null) return { name: text.toLowerCase(), port: undefined };
  const [, address, name, port] = match;
  return { name: (address ?? name ?? '').toLowerCase(), port: port === undefined ? undefined : Number(port) };
}

function matchesHost(rule: HostRule, host: string, port: number | undefined): boolean {
  // A name is looked up before a port is known.
  if (rule.port !== undefined && port !== undefined && rule.port !== port) return false;
  const name = host.toLowerCase();
  return rule.name.startsWith('*.') ? name.endsWith(rule.name.slice(1)) : name === rule.name;
}

/** Hosts as users name them: `name`, `*.name` for everything below it, an address, each with or without `:port`. */
export class HostList {
  private readonly rules: readonly HostRule[];

  constructor(hosts: readonly string[]) {
    this.rules = hosts.map(hostRule);
  }

  /** Whether a host is on the list; `port` undefined where it is not known yet. IPv6 addresses come without brackets. */
  includes(host: string, port: number | undefined): boolean {
    return this.rules.some((rule) => matchesHost(rule, host, port));
  }
}
