import { RedisAwayError, withoutCommand } from './redis-link.ts'

/** Thrown if Redis refused a script before it ran. */
export class RedisRefusedError extends RedisAwayError {
  override readonly name = 'RedisRefusedError'
}

const refusals =
  /^(ASK|BUSY|CLUSTERDOWN|CROSSSLOT|LOADING|MASTERDOWN|MISCONF|MOVED|NOAUTH|NOPERM|NOREPLICAS|OOM|READONLY|TRYAGAIN) /

/**
 * Tells a refused script from a failed one. After a refusal the caller has nothing to cancel.
 *
 * @returns RedisRefusedError, or the same error if the script may have started
 */
export function withRefusal(error: unknown): unknown {
  if (!(error instanceof Error) || !refusals.test(error.message)) return error
  // An error inside the script may begin with the same word. Its message also names the script.
  return error.message.includes(' script: ') ? error : new RedisRefusedError(withoutCommand(error))
}
