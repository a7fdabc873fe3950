import { lazyRouteComponent } from '@tanstack/react-router'
import { ApiError } from '../api/api-error.ts'
import { call } from '../api/call.ts'

/**
 * A page whose code is loaded when it is first shown.
 *
 * If loading fails although the server answers, the code is of an older build, and the router reloads the page. If the
 * server does not answer, a reload would show the browser's error page. Throwing an `ApiError` shows ours, with a retry.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(async () => {
    try {
      return await load()
    } catch (error) {
      throw (await findServerFailure()) ?? error
    }
  }, name)

async function findServerFailure(): Promise<ApiError | null> {
  try {
    await call('getUser')
  } catch (error) {
    if (error instanceof ApiError && error.isTemporary) return error
  }
  return null
}
