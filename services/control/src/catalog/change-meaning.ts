/** A value before and after a change. `text` is null where the catalog has no such value. */
export interface Values {
  readonly text: string | null
  readonly number: number | null
}

/**
 * Says in a sentence what a change means.
 *
 * @param of the name of the model, or the id of the plan
 */
export type Saying = (of: string, from: Values, to: Values) => string

/**
 * @param what is paid for: `Output`
 * @param otherwise what it costs without a price of its own
 */
export const changedPrice =
  (what: string, otherwise: string): Saying =>
  (model, from, to) => {
    const named = `${what} of ${model}`
    if (to.text === null) return `${named} costs ${otherwise}.`
    if (from.text === null) return `${named} has its own price: USD ${to.text} per million tokens.`
    const [before, after] = [from.number!, to.number!]
    if (after === 0) return `${named} becomes free.`
    if (before === 0) return `${named} costs USD ${to.text} per million tokens. It was free.`
    return `${named} costs ${percent(before, after)} % ${after > before ? 'more' : 'less'}.`
  }

/** @param what the plan limits: `requests per minute` */
export const changedCount =
  (what: string): Saying =>
  (plan, from, to) => {
    if (to.text === null) return `The plan ${plan} no longer sets a number of ${what}. The default applies.`
    if (from.text === null) return `The plan ${plan} allows ${to.text} ${what} instead of the default.`
    return `The plan ${plan} allows ${to.text} ${what} instead of ${from.text}.`
  }

/** @param per what the cap is for: `a month` */
export const changedAmount =
  (per: string): Saying =>
  (plan, from, to) =>
    `Accounts of the plan ${plan} can spend USD ${to.text} ${per} instead of USD ${from.text}.`

export const changedModelOfPlan: Saying = (plan, from, to) =>
  to.text === null
    ? `The plan ${plan} no longer includes ${from.text}. Requests get 403.`
    : `The plan ${plan} includes ${to.text}.`

export const changedPlanPrice =
  (id: string): Saying =>
  (plan, from, to) => {
    if (to.text === null) {
      return `${id} (${from.text}) no longer belongs to the plan ${plan}. Its subscribers keep their plan, with an error in the log.`
    }
    if (from.text === null) return `${id} (${to.text}) is a price of the plan ${plan}.`
    return `${id} of the plan ${plan} is shown as ${to.text} instead of ${from.text}. The payment provider decides the charge.`
  }

/** @param what changes: `The route` */
export const changedFallback =
  (what: string): Saying =>
  (of, from, to) =>
    `${what} of ${of} changes from ${from.text ?? 'none'} to ${to.text ?? 'none'}.`

/** The difference in percent, with at most one decimal. */
function percent(before: number, after: number): string {
  const value = (Math.abs(after - before) / before) * 100
  if (value < 0.1) return 'less than 0.1'
  return value.toFixed(1).replace(/\.0$/, '')
}
