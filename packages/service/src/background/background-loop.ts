import { setTimeout as delay } from 'node:timers/promises'

/** Where a loop reports that its rounds fail, and that they succeed again. */
export interface LoopLog {
  info(message: string): void
  warn(values: { err: unknown }, message: string): void
}

export interface BackgroundLoopOptions {
  /**
   * Does one round of work. If it throws, the failure is reported and the round is repeated after the interval.
   *
   * @param signal aborts when the loop stops; a round may leave the rest of its work to the next start
   * @param isFailing whether the round before failed
   * @returns `'again'` to start the next round at once; any other value is ignored
   */
  round(signal: AbortSignal, isFailing: boolean): Promise<unknown>
  /**
   * Milliseconds from the start of one round to the start of the next. After a failed round they count from its end. A
   * function is called before each pause.
   */
  intervalMs: number | (() => number)
  /** Whether the first round starts after an interval. By default it starts at once. */
  isFirstDelayed?: boolean
  /** Rounds wait until this is ready. */
  readiness?: { isReady(): boolean; ready(): Promise<unknown> }
  log: LoopLog
  /** `failing` is logged once per outage, as a warning; `recovered` when a round succeeds again. */
  messages: { failing: string; recovered?: string }
  /** Prepares an error for the log, for instance by removing data that must not be logged. */
  describeError?: (error: Error) => Error
}

/** How the rounds of a loop went since the process started. */
export interface LoopProgress {
  readonly failures: number
  /** When a round last succeeded, ms since the epoch; null before the first one. */
  readonly lastSuccessAt: number | null
}

/** Repeats rounds of work until it is stopped. */
export interface BackgroundLoop {
  /** Aborts when the loop stops. */
  readonly signal: AbortSignal
  readonly progress: LoopProgress
  start(): void
  /** Resolves when the last round has ended. */
  stop(): Promise<void>
  /** Starts the next round now. A call during a round starts another one right after it. */
  wake(): void
  /** Runs one round now, beside the loop. Never throws: a failure is reported as in the loop. */
  runOnce(): Promise<void>
  /** Waits inside a round. Ends early when the loop stops. */
  pause(ms: number): Promise<void>
}

export function createBackgroundLoop(options: BackgroundLoopOptions): BackgroundLoop {
  const { round, readiness, log, messages, describeError } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let running: Promise<void> | null = null
  const progress: { -readonly [Name in keyof LoopProgress]: LoopProgress[Name] } = { failures: 0, lastSuccessAt: null }
  let isFailing = false
  let isWoken = false
  const { sleep, endSleep } = createSleep(signal)

  const interval = (): number => (typeof options.intervalMs === 'number' ? options.intervalMs : options.intervalMs())

  function wake(): void {
    isWoken = true
    endSleep()
  }

  function report(error: unknown): void {
    const err = error instanceof Error && describeError !== undefined ? describeError(error) : error
    log.warn({ err }, messages.failing)
  }

  async function runRound(): Promise<'again' | 'done' | 'failed'> {
    try {
      const outcome = await round(signal, isFailing)
      if (isFailing && messages.recovered !== undefined) log.info(messages.recovered)
      isFailing = false
      progress.lastSuccessAt = Date.now()
      return outcome === 'again' ? 'again' : 'done'
    } catch (error) {
      if (!signal.aborted) progress.failures++
      if (!isFailing && !signal.aborted) report(error)
      isFailing = true
      return 'failed'
    }
  }

  async function run(): Promise<void> {
    if (options.isFirstDelayed === true) await sleep(interval())
    while (!signal.aborted) {
      if (readiness?.isReady() === false) {
        void readiness.ready().then(wake)
        await sleep(null)
        continue
      }
      isWoken = false
      const startedAt = performance.now()
      const outcome = await runRound()
      if (outcome === 'again' || isWoken) continue
      const passedMs = outcome === 'failed' ? 0 : performance.now() - startedAt
      await sleep(Math.max(0, interval() - passedMs))
    }
  }

  return {
    signal,
    progress,
    start() {
      running ??= run()
    },
    async stop() {
      stopping.abort()
      endSleep()
      await running
    },
    wake,
    async runOnce() {
      await runRound()
    },
    pause: (ms) => delay(ms, undefined, { signal }).catch(() => undefined)
  }
}

/** Sleeps one at a time. A sleep ends early when `endSleep` is called; none begins after the signal. */
function createSleep(signal: AbortSignal) {
  let end = (): void => undefined
  return {
    /** @param ms null to sleep until `endSleep` is called */
    sleep(ms: number | null): Promise<void> {
      if (signal.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const timer = ms === null ? undefined : setTimeout(resolve, ms)
        end = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    },
    endSleep: () => end()
  }
}

/**
 * Limits how often something is logged.
 *
 * @param intervalMs the least milliseconds between two calls of `act`
 * @returns call it for each event. It calls `act` with the number of events since the last call, at most once per
 *   interval
 */
export function createRareAction<Args extends unknown[]>(
  intervalMs: number,
  act: (count: number, ...args: Args) => void,
  now: () => number = () => performance.now()
): (...args: Args) => void {
  let lastAt = Number.NEGATIVE_INFINITY
  let count = 0
  return (...args) => {
    count++
    if (now() - lastAt < intervalMs) return
    lastAt = now()
    act(count, ...args)
    count = 0
  }
}
