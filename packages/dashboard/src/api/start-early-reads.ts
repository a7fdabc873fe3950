import { send } from './call.ts'
import { earlyReads } from './early-reads.ts'
import { queryClient } from './queries.ts'

/**
 * Starts to read what a page shows first, while its code still loads. For signed-in users only.
 *
 * @param path the address of the page
 */
export function startEarlyReads(path: string): void {
  for (const { operation, query } of earlyReads.filter(({ page }) => page.test(path))) {
    const input = query === undefined ? {} : { query }
    // The page shows a failure, because it reads the same.
    void queryClient.prefetchQuery({
      queryKey: [operation, input],
      queryFn: ({ signal }) => send(operation, input, signal)
    })
  }
}
