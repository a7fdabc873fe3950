import type { RedisLink } from '@tollgate/state/link/redis-link.ts'

/** Tells Redis, at the end of each turn of the event loop, what has been gathered in it: in one write. */
export type Turn = {
  /** Has a task done at the end of this turn. It must not throw. */
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
