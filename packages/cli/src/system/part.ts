import { setTimeout as delay } from 'node:timers/promises'
import { connectRedis } from '@tollgate/state/link/connect-redis.ts'
import { readShards } from '@tollgate/state/projection/shard-markers.ts'
import { endsProcess, type LogFile, type Running } from './program.ts'
import { SystemError } from './system-error.ts'

const retryMs = 50

const firstRetryMs = 25

/** Pauses grow up to this, so that the checks do not slow down the server. */
const maxRetryMs = 150

/** A server on a busy machine may need seconds for its first answer. */
const requestTimeoutMs = 10_000

/** One server of the system. */
export interface Part {
  readonly name: string
  /** null while the server is stopped, or if it runs in this process. */
  readonly pid: number | null
  readonly isRunning: boolean
  /**
   * Starts the server. Resolves when it is ready.
   *
   * @throws SystemError with its last lines if it ends early or takes too long; the server is then stopped
   */
  start(signal?: AbortSignal): Promise<void>
  /** Stops the server, by force after a timeout. Resolves when it has ended. */
  stop(): Promise<void>
  /** Sends a signal. If the signal ends the server, resolves when it has ended. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** {@link stop}, then {@link start} with the same data on the same ports. */
  restart(): Promise<void>
}

export interface PartOptions {
  readonly name: string
  launch(): Promise<Running>
  /** null if the server is ready when `launch` resolves. */
  readonly ready: ReadyCheck | null
  readonly readyTimeoutMs: number
  /** Called when the server is not ready after `slowAfterMs`. From then on, `onLine` gets the lines of its log. */
  readonly slowAfterMs?: number
  onSlow?(): void
  /** null for a server without a log. */
  readonly log: LogFile | null
  /** Called with each line that the server logs after it is ready. If it is slow, also with its earlier ones. */
  onLine?(line: string): void
  /** Called when a ready server ends unexpectedly. `how` is the cause, such as "by SIGKILL". */
  onCrash?(how: string): void
}

/** One run of the server, from launch to end. */
interface Run {
  readonly running: Running
  /** Only the end of a `ready` run is a crash. */
  state: 'starting' | 'ready' | 'ending'
}

/** Creates a part, which is not started yet. */
export function createPart(options: PartOptions): Part {
  const { name, log } = options
  let run: Run | null = null

  async function start(signal?: AbortSignal): Promise<void> {
    if (run !== null) throw new Error(`${name} is already running`)
    signal?.throwIfAborted()
    const current: Run = { running: await options.launch(), state: 'starting' }
    run = current
    const failed = new AbortController()
    let unfollow: (() => void) | null = null
    void current.running.ended.then((how = 'by itself') => {
      run = null
      unfollow?.()
      if (current.state === 'starting') failed.abort(failure(name, `ended ${how} before it was ready`, log))
      if (current.state === 'ready') options.onCrash?.(how)
    })
    const timer = setTimeout(
      () => failed.abort(failure(name, `was not ready after ${options.readyTimeoutMs / 1000} s`, log)),
      options.readyTimeoutMs
    )
    const follow = () => {
      if (log !== null && options.onLine !== undefined) unfollow ??= log.follow(options.onLine)
    }
    const slowTimer = setTimeout(() => {
      options.onSlow?.()
      // What the server has logged may say why it is not ready: a wrong address, for example.
      const earlier = log?.tail().split('\n') ?? []
      // At once, so that no line falls between. Later lines are told later.
      follow()
      for (const line of earlier) if (line !== '') options.onLine?.(line)
    }, options.slowAfterMs ?? options.readyTimeoutMs)
    const stopSignal = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal])
    try {
      if (options.ready !== null) await untilReady(options.ready, stopSignal)
      stopSignal.throwIfAborted()
    } catch (error) {
      await stop()
      throw stopSignal.aborted ? stopSignal.reason : error
    } finally {
      clearTimeout(timer)
      clearTimeout(slowTimer)
    }
    current.state = 'ready'
    follow()
  }

  async function stop(): Promise<void> {
    if (run === null) return
    const { running } = run
    run.state = 'ending'
    await running.stop()
    await running.ended
  }

  return {
    name,
    get pid() {
      return run?.running.pid ?? null
    },
    get isRunning() {
      return run !== null
    },
    start,
    stop,
    async kill(signal) {
      if (run === null) throw new Error(`${name} is not running`)
      const { running } = run
      if (endsProcess(signal)) run.state = 'ending'
      await running.kill(signal)
      if (endsProcess(signal)) await running.ended
    },
    async restart() {
      await stop()
      await start()
    }
  }
}

function failure(name: string, what: string, log: LogFile | null): SystemError {
  const lines = log?.tail() ?? ''
  if (log === null || lines === '') return new SystemError(`${name} ${what}.`)
  return new SystemError(`${name} ${what}. The last lines of ${log.path}:\n${lines}`)
}

/** A GET request that a ready server answers with 200. */
export interface ReadyCheck {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Resolves when the check succeeds.
 *
 * @param signal aborts the wait; the promise then rejects with its reason
 */
async function untilReady({ url, headers = {} }: ReadyCheck, signal: AbortSignal): Promise<void> {
  for (let retryMs = firstRetryMs; ; retryMs = Math.min(retryMs * 1.2, maxRetryMs)) {
    signal.throwIfAborted()
    try {
      const response = await fetch(url, {
        headers,
        signal: AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)])
      })
      await response.body?.cancel()
      if (response.status === 200) return
    } catch {
      // The server does not listen yet.
    }
    await delay(retryMs, undefined, { signal })
  }
}

/**
 * Resolves when control has verified every shard of this Redis process. Until then, gateways answer some keys with 503.
 *
 * @param signal aborts the wait; the promise then rejects with its reason
 * @throws SystemError after `timeoutMs`
 */
export async function untilVerified(redisUrl: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
  const deadline = performance.now() + timeoutMs
  const link = connectRedis(redisUrl, { name: 'tollgate-start', silenceTimeoutMs: 2_000, onError: () => {} })
  try {
    for (;;) {
      signal?.throwIfAborted()
      if (link.isReady()) {
        // If Redis does not answer, the next round asks again.
        const { markers, failures } = await readShards(link)
        if (failures.length === 0 && [...markers.values()].every(({ run, currentRunId }) => run === currentRunId))
          return
      }
      if (performance.now() > deadline) {
        throw new SystemError(`control did not verify Redis within ${timeoutMs / 1000} s. See its log.`)
      }
      await delay(retryMs)
    }
  } finally {
    await link.close()
  }
}
