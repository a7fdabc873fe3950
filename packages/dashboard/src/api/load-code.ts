import { ApiError } from './api-error.ts'
import { call } from './call.ts'
import { isReachable } from './request.ts'

/**
 * Imports a module that is not loaded with the page. Browsers remember a failed import until the page is reloaded, so
 * nothing is imported while the server is away.
 *
 * @throws ApiError if the server does not answer. If it answers, but the module cannot be imported, the page has to be
 *   reloaded, and the error of the browser is thrown.
 */
export async function loadCode<Module>(load: () => Promise<Module>): Promise<Module> {
  if (!navigator.onLine || !isReachable()) await throwIfAway()
  try {
    return await load()
  } catch (error) {
    await throwIfAway()
    throw error
  }
}

/** @throws ApiError if the server does not answer */
async function throwIfAway(): Promise<void> {
  try {
    await call('getUser')
  } catch (error) {
    if (error instanceof ApiError && error.isTemporary) throw error
  }
}
