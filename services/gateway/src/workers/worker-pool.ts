import type { ChildProcess } from 'node:child_process'
import { availableParallelism } from 'node:os'
import type { Logger } from 'pino'
import type { ProcessMetrics, ToWorker, WorkerState } from './messages.ts'
import { Worker, type WorkerEnd } from './worker.ts'

const [minRestartMs, maxRestartMs] = [100, 30_000]
/** After this time without an end, a worker is restarted without a wait again, ms. */
const steadyMs = 60_000
/** How long workers get to answer, ms. */
const answerMs = 2000
/** A worker that leaves so many checks in a row without an answer is replaced: after 30 seconds. */
const [defaultCheckMs, maxUnanswered] = [5000, 6]

export interface PoolOptions {
  readonly count: number
  readonly start: () => ChildProcess
  readonly log: Pick<Logger, 'info' | 'error'>
  /** Called with the last known metrics of a worker that ended. */
  readonly onEnd: (metrics: ProcessMetrics) => void
  readonly onRestart: () => void
  /** Called when a worker that did not answer is killed. It ends then, as others do. */
  readonly onKill: () => void
  /** How long a worker has to answer each check, ms. */
  readonly checkMs?: number
}

/** A place for one worker, which has a number from 1. */
interface Slot {
  readonly number: number
  worker: Worker | null
  /** Ends that followed each other without a steady time between them. */
  quickEnds: number
  timer: NodeJS.Timeout | undefined
}

/** A worker with its answer. */
export interface AnsweredSlot {
  readonly number: number
  readonly pid: number | null
  /** null if the worker does not run or does not answer. */
  readonly state: WorkerState | null
  /** Those of its last answer. */
  readonly lastMetrics: ProcessMetrics
  /** Milliseconds since it last answered; null if it does not run, or has not listened yet. */
  readonly silentMs: number | null
}

/**
 * Keeps a number of workers running: starts a worker that ended again, after a wait that grows with each quick end. A
 * worker whose event loop is blocked keeps its connections and gets new ones, so it is killed and replaced, too. What a
 * worker learned of an upstream is passed on to the others.
 */
export class WorkerPool {
  readonly #options: PoolOptions
  readonly #slots: Slot[]
  readonly #started = Promise.withResolvers<void>()
  readonly #stopped = Promise.withResolvers<void>()
  #hasListened = false
  #isStopping = false
  #checks: NodeJS.Timeout | undefined

  constructor(options: PoolOptions) {
    this.#options = options
    this.#slots = Array.from({ length: options.count }, (_, index) => ({
      number: index + 1,
      worker: null,
      quickEnds: 0,
      timer: undefined
    }))
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  /**
   * Starts all workers, unless the pool was stopped before. Resolves when each listens.
   *
   * @throws Error if a worker ends before any worker has listened: it has written the reason
   */
  start(): Promise<void> {
    if (this.#isStopping) return this.#stopped.promise
    for (const slot of this.#slots) this.#startIn(slot)
    const { checkMs = defaultCheckMs } = this.#options
    this.#checks = setInterval(() => {
      for (const slot of this.#slots) void this.#check(slot, checkMs)
    }, checkMs).unref()
    return this.#started.promise
  }

  sendAll(message: ToWorker): void {
    for (const { worker } of this.#slots) worker?.send(message)
  }

  /** Asks all workers for their state. @param metrics whether to ask for the metrics, too */
  askAll(metrics: boolean): Promise<AnsweredSlot[]> {
    return Promise.all(
      this.#slots.map(async ({ number, worker }) => {
        const state = worker === null ? null : await worker.ask(metrics, answerMs)
        const { pid = null, lastMetrics = [], silentMs = null } = worker ?? {}
        return { number, pid, state, lastMetrics, silentMs }
      })
    )
  }

  /** Lets the workers finish their requests. Resolves when all have ended. A second call ends the requests at once. */
  stop(): Promise<void> {
    this.#isStopping = true
    for (const { timer } of this.#slots) clearTimeout(timer)
    this.sendAll({ kind: 'stop' })
    this.#checkStopped()
    return this.#stopped.promise
  }

  #startIn(slot: Slot): void {
    let child: ChildProcess
    try {
      child = this.#options.start()
    } catch (err) {
      // Such as ENOMEM. The other workers serve on, so the parent must not end.
      this.#options.log.error({ worker: slot.number, err }, 'a worker cannot be started')
      this.#startLater(slot, null, { code: null, signal: null })
      return
    }
    slot.worker = new Worker(child, {
      onListening: () => {
        this.#hasListened = true
        if (this.#slots.every(({ worker }) => worker?.isListening === true)) this.#started.resolve()
      },
      onLearned: (learned) => {
        for (const other of this.#slots) if (other !== slot) other.worker?.send(learned)
      },
      onEnd: (end) => this.#ended(slot, end)
    })
  }

  async #check({ number, worker }: Slot, checkMs: number): Promise<void> {
    // Less than the time between checks, so that they do not overlap.
    const unanswered = await worker?.check(checkMs * 0.9)
    if (worker === null || unanswered !== maxUnanswered) return
    const silentMs = Math.round(worker.silentMs!)
    this.#options.log.error({ worker: number, workerPid: worker.pid, silentMs }, 'a worker does not answer: killing it')
    this.#options.onKill()
    worker.kill()
  }

  #ended(slot: Slot, end: WorkerEnd): void {
    const worker = slot.worker!
    slot.worker = null
    this.#options.onEnd(worker.lastMetrics)
    if (this.#isStopping) this.#checkStopped()
    else this.#startLater(slot, worker, end)
  }

  /** @param worker the one that ended; null if it could not be started */
  #startLater(slot: Slot, worker: Worker | null, { code, signal }: WorkerEnd): void {
    if (!this.#hasListened) {
      this.#started.reject(new Error('A worker ended before it listened.'))
      return
    }
    const isSteady = worker !== null && performance.now() - worker.startedAt >= steadyMs
    slot.quickEnds = isSteady ? 0 : slot.quickEnds + 1
    const inMs = Math.min(maxRestartMs, minRestartMs * 2 ** Math.max(0, slot.quickEnds - 1))
    this.#options.log.error(
      { worker: slot.number, workerPid: worker?.pid, code, signal, inMs },
      'a worker ended: starting it again'
    )
    slot.timer = setTimeout(() => {
      if (this.#isStopping) return
      this.#options.onRestart()
      this.#startIn(slot)
    }, inMs)
  }

  #checkStopped(): void {
    if (this.#slots.some(({ worker }) => worker !== null)) return
    clearInterval(this.#checks)
    this.#stopped.resolve()
  }
}

/** @returns how many processes `GATEWAY_WORKERS` asks for. `auto`: one for each core that this process may use */
export function countWorkers(workers: string, cores: number = availableParallelism()): number {
  return workers === 'auto' ? cores : Number(workers)
}

/** A rule for `loadConfig`. */
export function checkWorkers({
  GATEWAY_WORKERS,
  GATEWAY_PORT
}: {
  GATEWAY_WORKERS: string
  GATEWAY_PORT: number
}): string | null {
  // Each worker would get another port.
  return GATEWAY_WORKERS !== '1' && GATEWAY_PORT === 0 ? 'GATEWAY_PORT: must not be 0 with GATEWAY_WORKERS' : null
}
