import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'
import type { TestSystem } from './start-test-system.ts'

/** The requests that the model server recorded, oldest first. With `requestId`, only this `x-request-id`. */
export async function recordedRequests(system: TestSystem, requestId?: string): Promise<RecordedRequest[]> {
  const query = requestId === undefined ? '' : `?id=${encodeURIComponent(requestId)}`
  const response = await fetch(`${system.addresses.models}/sandbox/requests${query}`)
  return ((await response.json()) as { requests: RecordedRequest[] }).requests
}
