import { setTimeout as delay } from 'node:timers/promises'
import { Redis, type RedisOptions } from 'ioredis'
import { RedisAwayError, withoutCommand } from './redis-link.ts'
import type { HostPort } from './redis-url.ts'

/** For so long an answer may come after the first: a server that hangs must not keep the others waiting. */
const patienceMs = 300
/** And for so long the first. */
const longestMs = 2000

/** Connections on which it is asked who the masters are, to Sentinels or to nodes of a cluster. */
export type Scouts = {
  /** Those that can be asked now. */
  ready(): Redis[]
  /** What the last one failed with. */
  lastError(): Error
  close(): void
}

/** @param onReady called when one more can be asked */
export function openScouts(
  servers: readonly HostPort[],
  options: Pick<RedisOptions, 'username' | 'password' | 'tls' | 'connectionName'>,
  onReady: () => void
): Scouts {
  let lastError: Error = new RedisAwayError()
  const clients = servers.map((server) => {
    const client = new Redis({
      ...options,
      ...server,
      // It would ask Sentinels whether they are loading.
      enableReadyCheck: false,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 1000,
      socketTimeout: 1000,
      disconnectTimeout: 200,
      retryStrategy: (attempt) => Math.min(100 * attempt, 1000)
    })
    client.on('ready', onReady)
    client.on('error', (error) => {
      lastError = withoutCommand(error)
    })
    return client
  })
  return {
    ready: () => clients.filter(({ status }) => status === 'ready'),
    lastError: () => lastError,
    close() {
      for (const client of clients) client.disconnect()
    }
  }
}

/**
 * Asks all, and takes what is answered soon after the first answer.
 *
 * @throws the last failure if nobody answers
 */
export async function askAll<Answer>(
  clients: readonly Redis[],
  ask: (client: Redis) => Promise<Answer>
): Promise<Answer[]> {
  const ending = new AbortController()
  const first = Promise.withResolvers<void>()
  const soonAfter = first.promise.then(() => delay(patienceMs, undefined, { signal: ending.signal }))
  let failure: Error = new RedisAwayError()
  const answers: Answer[] = []
  const asked = clients.map((client) =>
    ask(client).then(
      (answer) => {
        answers.push(answer)
        first.resolve()
      },
      (error: Error) => {
        failure = withoutCommand(error)
      }
    )
  )
  await Promise.race([Promise.all(asked), soonAfter, delay(longestMs, undefined, { signal: ending.signal })]).catch(
    () => undefined
  )
  ending.abort()
  if (answers.length === 0) throw failure
  return [...answers]
}
