import type { Readiness } from '@tollgate/service/http/admin-server.ts'
import type { AnsweredSlot } from './worker-pool.ts'

/**
 * Joins the readiness of all workers. They are ready together while at least half of them are: the system gives connections only to
 * workers that listen, and a worker that ended is back within seconds.
 */
export function joinReadiness(slots: readonly AnsweredSlot[], stopping: boolean): Readiness {
  const needed = Math.ceil(slots.length / 2)
  const workers = slots.map(({ number, pid, state }) => ({
    worker: number,
    pid,
    ready: state?.readiness.isReady === true,
    ...(state === null ? { answers: false } : withoutProblems(state.readiness.details))
  }))
  const ready = workers.filter((worker) => worker.ready).length
  const problems = slots.flatMap(({ state }) => (state?.readiness.details.problems as object[] | undefined) ?? [])
  return {
    isReady: ready >= needed && !stopping,
    details: { ready, needed, stopping, workers, problems: distinct(problems) }
  }
}

function withoutProblems({ problems: _, ...others }: Readiness['details']): Readiness['details'] {
  return others
}

/** Workers have the same upstreams, and mostly the same problems. */
function distinct(problems: readonly object[]): object[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()]
}
