/** The rest follows in the next hour. */
const stepsPerPass = 1000

/**
 * Repeats a step until it finds fewer rows than its limit.
 *
 * @param isStopping checked between steps
 * @param step returns the number of rows, at most `perStep`
 * @returns the number of rows of all steps
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
