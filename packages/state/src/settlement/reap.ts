import { accountName } from '../keyspace/names.ts'
import { layouts } from '../layout/layouts.ts'
import { callForAccount } from '../link/call-script.ts'
import { RedisAwayError, type RedisLink, type RedisNode } from '../link/redis-link.ts'
import { unpackParts } from '../wire/packed.ts'
import { prepareAccount } from '../wire/prepared-account.ts'

/** What became of overdue holds: charged in full, or of another run and only released. */
export type Reaped = { charged: number; released: number }

/** Fields that one step of a look through an account takes: few enough to keep others waiting for less than a millisecond. */
const fieldsPerStep = 1000

/**
 * Ends holds of an account that are past their deadline. They are looked for step by step, since an account may have many
 * more fields than holds; a script then ends those that still are, and notes before when no other ends.
 *
 * @param most how many, so that others are not kept waiting
 * @param holdMs how long a hold lasts that is made meanwhile
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function reap(link: RedisLink, account: string, most: number, holdMs: number): Promise<Reaped> {
  const prepared = prepareAccount(account)
  const node = link.nodeOf(prepared.shard)
  const run = node.run()
  const { nowMs, deadlines } = await findHolds(node, account)
  const inOrder = [...deadlines].sort(([, one], [, other]) => one - other)
  const overdue = inOrder.filter(([, deadline]) => deadline <= nowMs).slice(0, most)
  const [, firstOfOthers = ''] = inOrder[overdue.length] ?? []
  const ids = overdue.map(([id]) => id)
  const rest = [firstOfOthers, nowMs + holdMs, ...ids]
  // Another process may have holds that were not seen, and end before those that were.
  if (link.nodeOf(prepared.shard).run() !== run) throw new RedisAwayError()
  const [charged, released] = (await callForAccount(link, prepared, 'tgReap', rest)) as [number, number]
  return { charged, released }
}

/** The holds of an account that were there all the time, by id, with their deadlines; and the time before, ms since the epoch. */
async function findHolds(
  { client }: RedisNode,
  account: string
): Promise<{ nowMs: number; deadlines: Map<string, number> }> {
  const [seconds, micros] = (await client.time()).map(Number) as [number, number]
  const deadlines = new Map<string, number>()
  let cursor = '0'
  do {
    const step = await client.hscanBuffer(accountName(account), cursor, 'MATCH', 'h:*', 'COUNT', fieldsPerStep)
    const [next, found] = step as [Buffer, Buffer[]]
    for (let n = 0; n < found.length; n += 2) {
      deadlines.set(found[n]!.toString().slice('h:'.length), unpackParts(layouts.hold, found[n + 1]!).deadline)
    }
    cursor = next.toString()
  } while (cursor !== '0')
  return { nowMs: Math.floor(seconds * 1000 + micros / 1000), deadlines }
}
