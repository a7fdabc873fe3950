import { ApiError, isCode } from './api-error.ts'

const confirmation = { ask: async (): Promise<boolean> => false }

/** @param ask asks the person for their password. It resolves with false if they decline. */
export function onConfirmationNeeded(ask: () => Promise<boolean>): void {
  confirmation.ask = ask
}

/**
 * Sends a call. If the API first wants the person to confirm that it is them, it asks for the password, and sends the call again.
 *
 * @throws ApiError
 */
export async function withConfirmation<Result>(send: () => Promise<Result>): Promise<Result> {
  try {
    return await send()
  } catch (error) {
    if (!isCode(error, 'confirmation_required')) throw error
    if (await confirmation.ask()) return send()
    throw new ApiError(error.status, error.code, 'Nothing was changed. It needs your password.')
  }
}
