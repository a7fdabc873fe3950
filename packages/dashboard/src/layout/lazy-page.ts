import { lazyRouteComponent } from '@tanstack/react-router'
import { ApiError } from '../api/api-error.ts'
import { call } from '../api/call.ts'

/**
 * A page whose code is loaded when it is first shown.
 *
 * If that fails and the server answers, the code is of an older build, and the router loads the whole page anew. If the
 * server does not answer, that would put the browser's own page of errors in the place of ours, so it is told here, with
 * another try.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(async () => {
    try {
      return await load()
    } catch (error) {
      throw (await whyUnreachable()) ?? error
    }
  }, name)

async function whyUnreachable(): Promise<ApiError | null> {
  try {
    await call('getUser')
  } catch (error) {
    if (error instanceof ApiError && error.isTemporary) return error
  }
  return null
}
