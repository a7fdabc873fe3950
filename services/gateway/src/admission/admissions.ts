import { type AdmitAnswer, type AskedRequest, admitAll } from '@tollgate/contracts/redis/admit.ts'
import type { RedisLink } from '@tollgate/contracts/redis/redis-link.ts'
import type { PreparedAdmission } from '../authenticate/known-key.ts'
import type { Turn } from '../turn.ts'

/** Requests that one script judges: few enough to keep others waiting for less than half a millisecond. */
const mostTogether = 50

/** Asks Redis whether requests may start: those of one key that come in the same turn of the event loop, together. */
export type Admissions = {
  /**
   * @param reaped whether overdue holds have been reaped already
   * @throws RedisAwayError if it was not asked. Else ioredis' error: then something may have been reserved
   */
  ask(prepared: PreparedAdmission, request: AskedRequest, reaped: boolean): Promise<AdmitAnswer>
}

/** Requests of one key that are asked for together. */
type Batch = {
  requests: AskedRequest[]
  waiting: Array<{ resolve: (answer: AdmitAnswer) => void; reject: (error: unknown) => void }>
}

export function createAdmissions(redis: RedisLink, turn: Turn): Admissions {
  let batches = new Map<PreparedAdmission, Batch>()

  function flush(): void {
    const due = batches
    batches = new Map()
    for (const [prepared, batch] of due) void send(prepared, batch, false)
  }

  async function send({ call }: PreparedAdmission, { requests, waiting }: Batch, reaped: boolean): Promise<void> {
    try {
      const answer = await admitAll(redis, call, requests, reaped)
      if (Array.isArray(answer)) for (const [index, { resolve }] of waiting.entries()) resolve(answer[index]!)
      else for (const { resolve } of waiting) resolve(answer)
    } catch (error) {
      for (const { reject } of waiting) reject(error)
    }
  }

  return {
    ask(prepared, request, reaped) {
      return new Promise((resolve, reject) => {
        // Few do that, and only once.
        if (reaped) {
          void send(prepared, { requests: [request], waiting: [{ resolve, reject }] }, true)
          return
        }
        if (batches.size === 0) turn.atEnd(flush)
        let batch = batches.get(prepared)
        if (batch === undefined || batch.requests.length === mostTogether) {
          if (batch !== undefined) void send(prepared, batch, false)
          batch = { requests: [], waiting: [] }
          batches.set(prepared, batch)
        }
        batch.requests.push(request)
        batch.waiting.push({ resolve, reject })
      })
    }
  }
}
