import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { TestSystem } from './start-test-system.ts'

/** Runs `work` while Redis lets nobody publish or subscribe. Afterwards waits until all have subscribed again. */
export async function withoutNotices({ addresses }: TestSystem, work: () => Promise<void>): Promise<void> {
  const redis = new Redis(addresses.redis)
  const subscribers = async () => {
    const channels = (await redis.pubsub('CHANNELS')) as string[]
    return channels.length === 0 ? '' : String(await redis.pubsub('NUMSUB', ...channels.toSorted()))
  }
  const before = await subscribers()
  try {
    await redis.call('ACL', 'SETUSER', 'default', 'resetchannels')
    try {
      await work()
    } finally {
      await redis.call('ACL', 'SETUSER', 'default', 'allchannels')
    }
    // A client whose subscription was refused tries again when it connects again.
    const clients = String(await redis.client('LIST')).split('\n')
    const refused = clients.filter((line) => line.includes(' cmd=subscribe ') && line.includes(' sub=0 '))
    for (const line of refused) await redis.client('KILL', 'ID', /\bid=(\d+)/.exec(line)![1]!)
    while ((await subscribers()) !== before) await delay(20)
  } finally {
    redis.disconnect()
  }
}
