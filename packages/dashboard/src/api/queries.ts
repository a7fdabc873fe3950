import { QueryClient, queryOptions } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { type Answer, type InputArguments, type OperationName, send } from './call.ts'

const retries = 2
const firstRetryMs = 400

/** What was read stays good for a moment: going back and forth between pages asks nothing twice. */
const freshMs = 5_000

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // What a browser takes for being offline may not be: the server can be on this machine. And a question that is put off
      // says nothing to who waits for the answer.
      networkMode: 'always',
      staleTime: freshMs,
      retry: (failures, error) =>
        error instanceof ApiError && error.isTemporary && error.code !== 'too_slow' && failures < retries,
      retryDelay: (failures) => firstRetryMs * 2 ** failures
    }
  }
})

/** A reading operation as a query. */
export function read<Name extends OperationName>(name: Name, ...rest: InputArguments<Name>) {
  const [input = {}] = rest
  return queryOptions<Answer<Name>, ApiError>({
    queryKey: [name, input],
    queryFn: ({ signal }) => send(name, input, signal)
  })
}

/** Has everything that these operations have read be read again. */
export async function refresh(...names: OperationName[]): Promise<void> {
  await Promise.all(names.map((name) => queryClient.invalidateQueries({ queryKey: [name] })))
}
