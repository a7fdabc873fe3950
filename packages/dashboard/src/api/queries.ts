import { QueryClient, queryOptions } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { type Answer, type InputArguments, type OperationName, send } from './call.ts'
import { type RequestInput, unreachable, unreadable } from './request.ts'

const retries = 2
const minRetryDelayMs = 400

/** Going back and forth between pages does not fetch the same data twice. */
const freshMs = 5_000

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // A browser that believes to be offline may still reach a server on this machine. Paused queries would show no
      // error.
      networkMode: 'always',
      // With this mode, not the default.
      refetchOnReconnect: true,
      staleTime: freshMs,
      retry: (failures, error) =>
        error instanceof ApiError && error.isTemporary && error.code !== 'too_slow' && failures < retries,
      retryDelay: (failures) => minRetryDelayMs * 2 ** failures
    }
  }
})

/** Query options for an operation that reads. */
export function read<Name extends OperationName>(name: Name, ...rest: InputArguments<Name>) {
  const [input = {}] = rest
  return queryOptions<Answer<Name>, ApiError>({
    queryKey: [name, input],
    queryFn: ({ signal }) => send(name, input as RequestInput, signal)
  })
}

/** Refetches the data of these operations. */
export async function refresh(...names: OperationName[]): Promise<void> {
  await Promise.all(names.map((name) => queryClient.invalidateQueries({ queryKey: [name] })))
}

/** Query options for a public document of control, as text. It changes only with a new release. */
export const readDocument = (path: string) =>
  queryOptions<string, ApiError>({
    queryKey: ['document', path],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      let response: Response
      try {
        response = await fetch(path, { signal })
      } catch (error) {
        if (signal.aborted) throw error
        throw new ApiError(0, 'unreachable', unreachable)
      }
      if (!response.ok) throw new ApiError(response.status, 'unreadable', unreadable)
      return response.text()
    }
  })
