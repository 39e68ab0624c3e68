import type { ClientCall } from '../object/client-definition.ts';

// Commands that Redis itself flags as reading only; every other one, known or not, counts as a write.
const reads: ReadonlySet<string> = new Set(
  `bitcount bitpos dbsize dump echo exists expiretime geodist geohash geopos get getbit getrange hexists hget hgetall hkeys
  hlen hmget hrandfield hscan hstrlen hvals info keys lastsave lcs lindex llen lolwut lpos lrange memoryusage mget
  objectencoding objectfreq objectidletime objectrefcount pexpiretime pfcount ping pttl randomkey scan scard sdiff sinter
  sintercard sismember smembers smismember srandmember sscan strlen substr sunion time touch ttl type xinfoconsumers
  xinfogroups xinfostream xlen xpending xpendingrange xrange xread xrevrange zcard zcount zdiff zinter zintercard zlexcount
  zmscore zrandmember zrange zrangebylex zrangebyscore zrank zrevrange zrevrangebylex zrevrangebyscore zrevrank zscan zscore
  zunion`.split(/\s+/),
);

/** The command a driver's method sends, in lower case, without the driver's own endings. */
export function redisCommand(method: string): string {
  return method
    .replace(/(?:Buffer)?(?:Stream|Iterator)?$/, '')
    .replaceAll('_', '')
    .toLowerCase();
}

/** Effect of a Redis command called by its method's name. */
export function redisEffect({ method }: ClientCall): 'read' | 'write' {
  return reads.has(redisCommand(method)) ? 'read' : 'write';
}
