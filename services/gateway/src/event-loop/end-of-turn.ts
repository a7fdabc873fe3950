import type { RedisLink } from '@tollgate/state/link/redis-link.ts'

/** Runs tasks at the end of a turn of the event loop, and sends their Redis commands in one write. */
export interface Turn {
  /** Adds a task to this turn. The task must not throw. */
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
