import { setTimeout as delay } from 'node:timers/promises'
import type { LoggedRequest, RequestsResponse } from '@tollgate/contracts/http/requests.ts'
import type { Person } from '../person.ts'

/** Waits until the request log has a request of an account, since it follows requests by some seconds. @returns the newest one */
export async function untilLogged(person: Person, search = ''): Promise<LoggedRequest> {
  const deadline = performance.now() + 60_000
  for (;;) {
    const { body } = await person.call<RequestsResponse>('GET', `/api/requests${search}`)
    const [newest] = body.requests
    if (newest !== undefined) return newest
    if (performance.now() > deadline) throw new Error('the request log has no such request')
    await delay(100)
  }
}
