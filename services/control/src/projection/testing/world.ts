import { setImmediate as turn } from 'node:timers/promises'
import { RedisAwayError, type RedisNode } from '@tollgate/state/link/redis-link.ts'
import type { Redis } from 'ioredis'
import type { ProjectionSource } from '../source.ts'
import { createMemorySource, emptyState, type MemoryState } from './memory-source.ts'

/** How a command or query ends: done, lost before it ran, or run without its answer arriving. */
export type Ending = 'done' | 'lost' | 'unheard'

/** The connections of a process, or of a task in it. */
export interface Agent {
  redis: RedisNode
  source: ProjectionSource
  /** Runs the steps of this agent until it has ended; all others wait. */
  settle(): Promise<void>
}

/** A crashed agent runs no further step. */
interface Life {
  alive: boolean
}

/** Waits until the test picks this step, and runs it. @param sentTo as of the step */
type Pause = (sentTo: Step['sentTo'], make: Step['make']) => Promise<unknown>

interface Step {
  life: Life
  /** The Redis process that a command was sent to; null for a query of the database. */
  sentTo: string | null
  make: () => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (error: Error) => void
}

type Content = Map<string, string | Record<string, Buffer> | Array<[score: string, member: string]>>

/**
 * A world in which the test decides the order of all steps: agents stop before every command and every query until the
 * test picks the agent that continues. Redis is a real server with simulated restarts: its data is replaced by a dump,
 * its run id changes, and commands on their way fail.
 */
export interface World {
  state: MemoryState
  run(): string
  /** Creates an agent in this world. */
  agent(): Agent
  /** The number of waiting steps. */
  waiting(): number
  /** Runs the waiting step `pick` (modulo their number), and lets its agent reach its next one. */
  step(pick: number, ending: Ending): Promise<void>
  crashAll(): void
  dump(): Promise<Content>
  /** Ends the Redis process. The next one starts with this content. */
  restart(content: Content): Promise<void>
}

export function createWorld({ client, scripts }: Pick<RedisNode, 'client' | 'scripts'>): World {
  let steps: Step[] = []
  let runs = 1
  const run = () => `run-${runs}`

  async function make(step: Step, ending: Ending): Promise<void> {
    steps = steps.filter((other) => other !== step)
    // A command sent to an earlier process fails.
    if (step.sentTo !== null && step.sentTo !== run()) step.reject(new RedisAwayError())
    else if (ending === 'lost') step.reject(new RedisAwayError())
    else {
      await step.make().then(ending === 'done' ? step.resolve : () => step.reject(new RedisAwayError()), step.reject)
    }
    // Agents wait only for steps. So after these turns of the event loop, each waits for its next step.
    await turn()
    await turn()
  }

  const world: World = {
    state: emptyState(),
    run,
    agent() {
      const life = { alive: true }
      const pause: Pause = (sentTo, make) =>
        new Promise((resolve, reject) => {
          if (life.alive) steps.push({ life, sentTo, make, resolve, reject })
        })
      const isMine = (step: Step) => step.life === life
      return {
        redis: linkOf({ client, scripts }, run, pause),
        source: sourceOf(() => world.state, pause),
        async settle() {
          for (let next = steps.find(isMine); next !== undefined; next = steps.find(isMine)) await make(next, 'done')
        }
      }
    },
    waiting: () => steps.length,
    async step(pick, ending) {
      const step = steps[pick % steps.length]
      if (step !== undefined) await make(step, ending)
    },
    crashAll() {
      for (const { life } of steps) life.alive = false
      steps = []
    },
    dump: () => readContent(client),
    async restart(content) {
      runs++
      await client.flushall()
      await writeContent(client, content)
    }
  }
  return world
}

/** Lets an agent use Redis: it pauses before each command. @param run the id of the Redis process */
function linkOf(
  { client, scripts }: Pick<RedisNode, 'client' | 'scripts'>,
  run: () => string,
  pause: Pause
): RedisNode {
  const paused = new Proxy(client, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      if (name !== 'pipeline') {
        return (...args: unknown[]) => pause(run(), async () => Reflect.apply(member, target, args))
      }
      return () => {
        const pipeline = target.pipeline()
        const exec = pipeline.exec.bind(pipeline)
        return Object.assign(pipeline, { exec: () => pause(run(), () => exec()) })
      }
    }
  })
  const link: RedisNode = {
    client: paused,
    isSpread: false,
    nodeOf: () => link,
    nodes: () => [link],
    scripts,
    run,
    isReady: () => true,
    ready: async () => undefined,
    flush: () => undefined,
    onChange: () => () => undefined,
    subscribe: () => () => undefined,
    close: async () => undefined
  }
  return link
}

/** Lets an agent use the database: it pauses before each query. */
function sourceOf(state: () => MemoryState, pause: Pause): ProjectionSource {
  const source = createMemorySource(state)
  const paused = <Args extends unknown[], Result>(query: (...args: Args) => Promise<Result>) => {
    return (...args: Args) => pause(null, () => query(...args)) as Promise<Result>
  }
  async function* pausedPages<Page>(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
    const iterator = pages[Symbol.asyncIterator]()
    for (;;) {
      const page = await paused(() => iterator.next())()
      if (page.done === true) return
      yield page.value
    }
  }
  return {
    seedBudgets: paused(source.seedBudgets),
    ledger: {
      // One statement for each row, so that anything can happen between two of them.
      async store(usages) {
        for (const usage of usages) await paused(source.ledger.store)([usage])
      },
      async *accountsOf(...args) {
        yield* pausedPages(source.ledger.accountsOf(...args))
      },
      spendOf: paused(source.ledger.spendOf),
      rowsSince: paused(source.ledger.rowsSince),
      uncopiedEpoch: paused(source.ledger.uncopiedEpoch),
      noteCopied: paused(source.ledger.noteCopied)
    },
    readTruth: paused(source.readTruth),
    writesOfAccount: paused(source.writesOfAccount),
    writesOfKey: paused(source.writesOfKey),
    endKeys: paused(source.endKeys),
    raiseEpoch: paused(source.raiseEpoch),
    readCatalog: paused(source.readCatalog),
    async *writesAfter(...args) {
      yield* pausedPages(source.writesAfter(...args))
    }
  }
}

async function readContent(client: Redis): Promise<Content> {
  const content: Content = new Map()
  for (const name of await client.keys('*')) {
    const type = await client.type(name)
    if (type === 'hash') content.set(name, await client.hgetallBuffer(name))
    else if (type === 'zset') content.set(name, await readSortedSet(client, name))
    else content.set(name, (await client.get(name)) ?? '')
  }
  return content
}

async function writeContent(client: Redis, content: Content): Promise<void> {
  for (const [name, value] of content) {
    if (typeof value === 'string') await client.set(name, value)
    else if (Array.isArray(value)) for (const [score, member] of value) await client.zadd(name, score, member)
    else await client.hset(name, value)
  }
}

async function readSortedSet(client: Redis, name: string): Promise<Array<[score: string, member: string]>> {
  const parts = await client.zrange(name, 0, '-1', 'WITHSCORES')
  return parts.flatMap((member, index) => (index % 2 === 0 ? [[parts[index + 1]!, member]] : []))
}
