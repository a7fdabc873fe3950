import { RedisAwayError, withoutCommand } from './redis-link.ts'

/** Thrown if Redis refused a script, and so has done nothing of it. */
export class RedisRefusedError extends RedisAwayError {
  override readonly name = 'RedisRefusedError'
}

const refusals =
  /^(ASK|BUSY|CLUSTERDOWN|CROSSSLOT|LOADING|MASTERDOWN|MISCONF|MOVED|NOAUTH|NOPERM|NOREPLICAS|OOM|READONLY|TRYAGAIN) /

/**
 * What a script's failure means: whoever knows that nothing was done need not take back what may have been.
 *
 * @returns RedisRefusedError, or the same error if the script may have begun
 */
export function withRefusal(error: unknown): unknown {
  if (!(error instanceof Error) || !refusals.test(error.message)) return error
  // What a command of the script fails with begins alike, and says where in the script that was.
  return error.message.includes(' script: ') ? error : new RedisRefusedError(withoutCommand(error))
}
