import { randomBytes } from 'node:crypto'
import { type createRedisCommandExecutor, RedisResult, RedisValue } from 'js-redis-server/core'

type Policies = NonNullable<NonNullable<Parameters<typeof createRedisCommandExecutor>[0]>['policies']>

/**
 * Adds to INFO what `js-redis-server` leaves out: `run_id`, a new one for each server, and `maxmemory_policy`. Redis has
 * both. By the run id a client notices that it reached another process, which has other data.
 */
export function reportRunId(): Policies[number] {
  const runId = randomBytes(20).toString('hex')
  return {
    name: 'report-run-id',
    afterExecute({ definition }, _context, result) {
      if (definition.name !== 'info' || result.value.kind !== 'bulk-string' || result.value.value === null)
        return result
      const info = result.value.value
        .toString()
        .replace('# Server\r\n', `# Server\r\nrun_id:${runId}\r\n`)
        .replace('# Memory\r\n', '# Memory\r\nmaxmemory_policy:noeviction\r\n')
      return RedisResult.create(RedisValue.bulkString(Buffer.from(info)), result.options)
    }
  }
}
