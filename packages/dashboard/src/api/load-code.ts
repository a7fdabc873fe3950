import { ApiError } from './api-error.ts'
import { call } from './call.ts'

/**
 * Imports a module that is not loaded with the page.
 *
 * @throws ApiError if the server does not answer. If it answers, but has no such module, the page is of an older build, and
 *   the error of the browser is thrown.
 */
export async function loadCode<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    throw (await findServerFailure()) ?? error
  }
}

async function findServerFailure(): Promise<ApiError | null> {
  try {
    await call('getUser')
  } catch (error) {
    if (error instanceof ApiError && error.isTemporary) return error
  }
  return null
}
