/** A plan that somebody chose on a public page, before they signed in or paid. */
export interface ChosenPlan {
  /** Its id in the catalog. */
  readonly plan: string
  readonly interval: 'month' | 'year'
}

const billingPage = '/dashboard/billing'

/** The address of the billing page that begins with a chosen plan. Sign-in can return to it. */
export const chosenPlanPath = ({ plan, interval }: ChosenPlan): string =>
  `${billingPage}?${new URLSearchParams({ plan, interval })}`

/** Reads the chosen plan from the parameters of the billing page; undefined if they name none. */
export const readChosenPlan = ({ plan, interval }: Readonly<Record<string, unknown>>): ChosenPlan | undefined =>
  typeof plan === 'string' && plan !== '' && (interval === 'month' || interval === 'year')
    ? { plan, interval }
    : undefined

/** The plan that an address of this site leads to buy; undefined for every other address. */
export function chosenPlanOf(path: string | undefined): ChosenPlan | undefined {
  const [page, query] = path?.split('?', 2) ?? []
  return page === billingPage ? readChosenPlan(Object.fromEntries(new URLSearchParams(query))) : undefined
}
