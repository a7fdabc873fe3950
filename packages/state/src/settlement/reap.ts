import { accountName } from '../keyspace/names.ts'
import { layouts } from '../layout/layouts.ts'
import { callForAccount } from '../link/call-script.ts'
import { RedisAwayError, type RedisLink, type RedisNode } from '../link/redis-link.ts'
import { prepareAccount, unpackParts } from '../wire/packed.ts'

/** How many overdue holds were charged in full, and how many were only released because another run made them. */
export interface Reaped {
  charged: number
  released: number
}

/** Fields per step of a scan: few enough to block Redis for less than a millisecond. */
const fieldsPerStep = 1000

/**
 * Ends overdue holds of an account. It scans for holds in steps, since an account may have many more fields than holds.
 * A script then ends the overdue holds that still exist, and stores a time before which no other hold ends.
 *
 * @param maxHolds maximum number of holds, to keep the script short
 * @param holdMs how long new holds last
 * @param receiptBytes memory for the receipts of a shard: the oldest are dropped above it; 0 if requests are not logged
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function reap(
  link: RedisLink,
  account: string,
  maxHolds: number,
  holdMs: number,
  receiptBytes = 0
): Promise<Reaped> {
  const prepared = prepareAccount(account)
  const node = link.nodeOf(prepared.shard)
  const run = node.run()
  const { nowMs, deadlines } = await findHolds(node, account)
  const inOrder = [...deadlines].sort(([, one], [, other]) => one - other)
  const overdue = inOrder.filter(([, deadline]) => deadline <= nowMs).slice(0, maxHolds)
  const [, firstOfOthers = ''] = inOrder[overdue.length] ?? []
  const ids = overdue.map(([id]) => id)
  const rest = [firstOfOthers, nowMs + holdMs, receiptBytes || '', ...ids]
  // Another process may have holds that the scan did not see, with earlier deadlines.
  if (link.nodeOf(prepared.shard).run() !== run) throw new RedisAwayError()
  const [charged, released] = (await callForAccount(link, prepared, 'tgReap', rest)) as [number, number]
  return { charged, released }
}

/** Deadlines of an account's holds by id, and the time at the start of the scan, ms since the epoch. */
async function findHolds(
  { client }: RedisNode,
  account: string
): Promise<{ nowMs: number; deadlines: Map<string, number> }> {
  const [seconds, micros] = (await client.time()).map(Number) as [number, number]
  const deadlines = new Map<string, number>()
  let cursor = '0'
  do {
    const step = await client.hscanBuffer(accountName(account), cursor, 'MATCH', 'h:*', 'COUNT', fieldsPerStep)
    const [next, fields] = step as [Buffer, Buffer[]]
    for (let n = 0; n < fields.length; n += 2) {
      deadlines.set(fields[n]!.toString().slice('h:'.length), unpackParts(layouts.hold, fields[n + 1]!).deadline)
    }
    cursor = next.toString()
  } while (cursor !== '0')
  return { nowMs: Math.floor(seconds * 1000 + micros / 1000), deadlines }
}
