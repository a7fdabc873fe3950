import type { LoopProgress } from '@tollgate/service/background/background-loop.ts'
import { isWatched, type WatchedLoop } from './due-watch.ts'

interface Stoppable {
  stop(): void | Promise<void>
}

interface Startable extends Stoppable {
  start(): void
}

/** Parts that start together, and stop in the reverse of the order in which they were added. */
export class RunningParts {
  /** The loops by name, for metrics. */
  readonly loops = new Map<string, { readonly progress: LoopProgress }>()
  /** Those that work off what is due in PostgreSQL. */
  readonly watched: WatchedLoop[] = []
  readonly #stack = new AsyncDisposableStack()
  readonly #started: Startable[] = []

  /** Adds a part that only stops. */
  keep<Part extends Stoppable>(part: Part): Part {
    return this.#stack.adopt(part, (stopped) => stopped.stop())
  }

  run<Part extends Startable>(part: Part): Part {
    this.#started.push(part)
    return this.keep(part)
  }

  /** @param name a label of metrics: it never changes */
  runLoop<Loop extends Startable & { readonly progress: LoopProgress }>(name: string, loop: Loop): Loop {
    this.loops.set(name, loop)
    if (isWatched(loop)) this.watched.push(loop)
    return this.run(loop)
  }

  start(): void {
    for (const part of this.#started) part.start()
  }

  stop(): Promise<void> {
    return this.#stack.disposeAsync()
  }
}
