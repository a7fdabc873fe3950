import type { ChildProcess } from 'node:child_process'
import type { Learned } from '../upstreams/upstreams.ts'
import type { FromWorker, ProcessMetrics, ToWorker, WorkerState } from './messages.ts'

/** How a worker's process ended. */
export interface WorkerEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface WorkerEvents {
  onListening(): void
  onLearned(learned: Learned): void
  onEnd(end: WorkerEnd): void
}

/** A process that the parent started, with its answers. */
export class Worker {
  readonly startedAt = performance.now()
  readonly pid: number | undefined
  isListening = false
  /** Those of its last answer. */
  lastMetrics: ProcessMetrics = []
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, (state: WorkerState | null) => void>()
  #lastId = 0
  #answeredAt: number | null = null
  #unansweredChecks = 0

  constructor(child: ChildProcess, { onListening, onLearned, onEnd }: WorkerEvents) {
    this.#child = child
    this.pid = child.pid
    child.on('message', (message: FromWorker) => {
      if (message.kind === 'listening') {
        this.isListening = true
        this.#answeredAt = performance.now()
        onListening()
        return
      }
      if (message.kind !== 'state') {
        onLearned(message)
        return
      }
      this.#answeredAt = performance.now()
      this.#unansweredChecks = 0
      this.lastMetrics = message.state.metrics ?? this.lastMetrics
      this.#answered(message.id, message.state)
    })
    let hasEnded = false
    const end = (code: number | null, signal: NodeJS.Signals | null): void => {
      if (hasEnded) return
      hasEnded = true
      for (const id of this.#waiting.keys()) this.#answered(id, null)
      onEnd({ code, signal })
    }
    child.on('exit', end)
    // The process could not be started, or a message could not be sent. Only the first is an end.
    child.on('error', () => {
      if (child.pid === undefined) end(null, null)
    })
  }

  send(message: ToWorker): void {
    // The process may have just ended.
    if (this.#child.connected) this.#child.send(message, () => {})
  }

  /** Milliseconds since it last answered; null if it has not listened yet. */
  get silentMs(): number | null {
    return this.#answeredAt === null ? null : performance.now() - this.#answeredAt
  }

  /**
   * Checks whether the worker answers in time.
   *
   * @returns how many checks it has not answered in a row. Not a time: after a pause of the whole machine or of the
   *   parent, every worker seems silent for as long. 0 until it listens, because a start may wait for Redis
   */
  async check(timeoutMs: number): Promise<number> {
    if (!this.isListening) return 0
    if ((await this.ask(false, timeoutMs)) === null) this.#unansweredChecks++
    return this.#unansweredChecks
  }

  /** Ends it at once, with its connections. Only the system can end a process whose event loop is blocked. */
  kill(): void {
    this.#child.kill('SIGKILL')
  }

  /**
   * @param metrics whether to ask for the metrics, too
   * @returns the state now; null if the worker does not answer in time
   */
  ask(metrics: boolean, timeoutMs: number): Promise<WorkerState | null> {
    const id = ++this.#lastId
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#answered(id, null), timeoutMs)
      this.#waiting.set(id, (state) => {
        clearTimeout(timer)
        resolve(state)
      })
      if (this.#child.connected) this.send({ kind: 'ask', id, metrics })
      else this.#answered(id, null)
    })
  }

  #answered(id: number, state: WorkerState | null): void {
    this.#waiting.get(id)?.(state)
    this.#waiting.delete(id)
  }
}
