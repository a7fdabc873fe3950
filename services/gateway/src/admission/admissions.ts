import {
  type AdmitAnswer,
  type AskedGroup,
  type AskedRequest,
  admit,
  type PreparedAdmission
} from '@tollgate/state/admission/admit.ts'
import { type RedisLink, togetherFor } from '@tollgate/state/link/redis-link.ts'
import type { Turn } from '../event-loop/end-of-turn.ts'
import type { RedisMetrics } from '../telemetry/metrics.ts'

/** Maximum requests per call of the script, so that others wait less than a millisecond. */
const maxTogether = 40

/** Asks Redis whether requests may start. The requests of one turn of the event loop are asked together. */
export interface Admissions {
  /**
   * @param reaped whether overdue holds have been reaped already
   * @throws RedisAwayError if Redis was not asked; any other error of ioredis if Redis may have reserved the request
   */
  ask(admission: PreparedAdmission, request: AskedRequest, reaped: boolean): Promise<AdmitAnswer>
}

/** Requests of one key. */
interface Group extends AskedGroup {
  requests: AskedRequest[]
  waiting: Array<{ resolve: (answer: AdmitAnswer) => void; reject: (error: unknown) => void }>
}

/** @param metrics measures the round trips */
export function createAdmissions(
  redis: RedisLink,
  turn: Turn,
  metrics: Pick<RedisMetrics, 'answered' | 'failed'>
): Admissions {
  let groups: Group[] = []
  /** The groups that further requests of their key may join. */
  let open = new Map<PreparedAdmission, Group>()
  let count = 0

  function flush(): void {
    if (count === 0) return
    const due = groups
    groups = []
    open = new Map()
    count = 0
    for (const together of togetherFor(redis, due, ({ admission }) => admission.account.shard)) void send(together)
  }

  async function send(due: readonly Group[]): Promise<void> {
    try {
      const sentAt = performance.now()
      const answers = await admit(redis, due)
      metrics.answered(sentAt)
      for (const [number, { waiting }] of due.entries()) {
        const answer = answers[number]!
        if (Array.isArray(answer)) for (const [index, { resolve }] of waiting.entries()) resolve(answer[index]!)
        else for (const { resolve } of waiting) resolve(answer)
      }
    } catch (error) {
      metrics.failed()
      for (const { waiting } of due) for (const { reject } of waiting) reject(error)
    }
  }

  function groupOf(admission: PreparedAdmission, reaped: boolean): Group {
    let group = reaped ? undefined : open.get(admission)
    if (group === undefined) {
      group = { admission, requests: [], reaped, waiting: [] }
      groups.push(group)
      if (!reaped) open.set(admission, group)
    }
    return group
  }

  return {
    ask(admission, request, reaped) {
      return new Promise((resolve, reject) => {
        if (count === 0) turn.atEnd(flush)
        const group = groupOf(admission, reaped)
        group.requests.push(request)
        group.waiting.push({ resolve, reject })
        if (++count === maxTogether) flush()
      })
    }
  }
}
