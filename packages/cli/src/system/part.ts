import type { LogFile } from './log-file.ts'
import { endsProcess, type Running } from './program.ts'
import { SystemError } from './system-error.ts'
import { type ReadyCheck, untilReady } from './until-ready.ts'

/** One server of the system. */
export interface Part {
  readonly name: string
  /** null while it does not run, and for one that runs in this process. */
  readonly pid: number | null
  readonly isRunning: boolean
  /**
   * Starts it and resolves when it is ready.
   * @throws SystemError with its last lines if it ends before that or takes too long; it is stopped then
   */
  start(signal?: AbortSignal): Promise<void>
  /** Asks it to stop, makes it stop if it does not, and resolves when it has ended. */
  stop(): Promise<void>
  /** Sends it a signal; for one that ends it, resolves when it has ended. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** {@link stop}, then {@link start} with the same data on the same ports. */
  restart(): Promise<void>
}

export interface PartOptions {
  readonly name: string
  launch(): Promise<Running>
  /** null if the server is ready when `launch` resolves. */
  readonly ready: ReadyCheck | null
  readonly readyLimitMs: number
  /** null for a server that writes none. */
  readonly log: LogFile | null
  /** Gets the lines that it writes once it is ready. */
  onLine?(line: string): void
  /** It was ready, and then ended although nobody asked it to. `how` is a word on that. */
  onCrash?(how: string): void
}

/** A run of the server, from its launch to its end. */
interface Run {
  readonly running: Running
  /** Only the end of a `ready` one is a crash. */
  state: 'starting' | 'ready' | 'ending'
}

/** A part of the system that is not started yet. */
export function createPart(options: PartOptions): Part {
  const { name, log } = options
  let run: Run | null = null

  async function start(signal?: AbortSignal): Promise<void> {
    if (run !== null) throw new Error(`${name} runs already`)
    signal?.throwIfAborted()
    const current: Run = { running: await options.launch(), state: 'starting' }
    run = current
    const tooEarly = new AbortController()
    let stopFollowing = () => {}
    void current.running.ended.then((how = 'by itself') => {
      run = null
      stopFollowing()
      if (current.state === 'starting') tooEarly.abort(failure(name, `ended ${how} before it was ready`, log))
      if (current.state === 'ready') options.onCrash?.(how)
    })
    const limit = setTimeout(
      () => tooEarly.abort(failure(name, `was not ready after ${options.readyLimitMs / 1000} s`, log)),
      options.readyLimitMs
    )
    const stopWaiting = signal === undefined ? tooEarly.signal : AbortSignal.any([signal, tooEarly.signal])
    try {
      if (options.ready !== null) await untilReady(options.ready, stopWaiting)
      stopWaiting.throwIfAborted()
    } catch (error) {
      await stop()
      throw stopWaiting.aborted ? stopWaiting.reason : error
    } finally {
      clearTimeout(limit)
    }
    current.state = 'ready'
    if (log !== null && options.onLine !== undefined) stopFollowing = log.follow(options.onLine)
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
      if (run === null) throw new Error(`${name} does not run`)
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
  return new SystemError(`${name} ${what}. Its last lines (all of them: ${log.path}):\n${lines}`)
}
