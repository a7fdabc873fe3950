import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'
import type { TestSystem } from './start-test-system.ts'

/** What the model server has seen, oldest first; of one `x-request-id`, as the gateway answers it, if given. */
export async function witnessed(system: TestSystem, requestId?: string): Promise<RecordedRequest[]> {
  const query = requestId === undefined ? '' : `?id=${encodeURIComponent(requestId)}`
  const response = await fetch(`${system.addresses.models}/sandbox/requests${query}`)
  return ((await response.json()) as { requests: RecordedRequest[] }).requests
}
