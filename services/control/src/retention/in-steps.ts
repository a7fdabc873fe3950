/** What is left after so many is for the next hour. */
const stepsPerPass = 1000

/**
 * Repeats a step until it does less than it could.
 *
 * @param isStopping asked between steps
 * @param step returns how many it did, at most `perStep`
 * @returns how many all steps did
 */
export async function inSteps(
  perStep: number,
  isStopping: () => boolean,
  step: () => Promise<number>
): Promise<number> {
  let done = 0
  for (let count = 0; count < stepsPerPass && !isStopping(); count++) {
    const some = await step()
    done += some
    if (some < perStep) break
  }
  return done
}
