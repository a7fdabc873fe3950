import { queryOptions } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { unreachable, unreadable } from './request.ts'

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
