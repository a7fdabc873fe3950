import type { RedisLink } from '@tollgate/state/link/redis-link.ts'

/** Sends Redis the commands of one turn of the event loop in one write. */
export interface Turn {
  /** Runs a task at the end of this turn. The task must not throw. */
  atEnd(task: () => void): void
}

export function createTurn(redis: Pick<RedisLink, 'flush'>): Turn {
  let tasks: Array<() => void> = []

  function end(): void {
    const due = tasks
    tasks = []
    for (const task of due) task()
    redis.flush()
  }

  return {
    atEnd(task) {
      if (tasks.push(task) === 1) setImmediate(end)
    }
  }
}
