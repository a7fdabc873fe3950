import { setTimeout as delay } from 'node:timers/promises'
import { SystemError } from '../system/system-error.ts'

/** A busy machine may need a minute. */
const timeoutMs = 120_000

/** Waits until a change is in force. @throws SystemError with `failure` if it takes too long */
export async function untilInForce(isInForce: () => Promise<boolean>, failure: string): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await isInForce())) {
    if (performance.now() > deadline) throw new SystemError(failure)
    await delay(50)
  }
}
