import { hash } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { RedisNode } from '../link/redis-link.ts'
import { defineScripts, type Script } from '../wire/scripts.ts'

const clockName = 'test:clock'
const askingTime = "redis.call('TIME')"

/** A link whose scripts and commands get the time from the test. */
export interface MovedClock {
  link: RedisNode
  /** Call it again after the database was emptied. @param micros since the epoch */
  set(micros: number): Promise<void>
}

export function moveClock(link: RedisNode): MovedClock {
  const scripts = new Map<string, Script>()
  const collector: Pick<Redis, 'defineCommand'> = {
    defineCommand(name, definition) {
      const lua = definition.lua.replaceAll(askingTime, `redis.call('LRANGE', '${clockName}', 0, -1)`)
      link.client.defineCommand(name, { ...definition, lua })
      scripts.set(name, { lua, sha: hash('sha1', lua) })
    }
  }
  defineScripts(collector as Redis)
  let time: string[] = []
  const client = new Proxy(link.client, {
    get(target, name) {
      if (name === 'time') return async () => time
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    }
  })
  return {
    link: { ...link, client, scripts },
    async set(micros) {
      const seconds = Math.floor(micros / 1e6)
      time = [String(seconds), String(micros - seconds * 1e6)]
      await link.client
        .multi()
        .del(clockName)
        .rpush(clockName, seconds, micros - seconds * 1e6)
        .exec()
    }
  }
}
