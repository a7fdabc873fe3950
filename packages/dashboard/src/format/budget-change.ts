import { formatUsd } from './money.ts'

/** Says what a monthly budget is now, to somebody who has just tried to change another one. */
export const describeBudgetChange = (present: number | null): string =>
  `The budget was changed meanwhile, so yours was not saved. ${present === null ? 'There is none now' : `It is ${formatUsd(present)} now`}.`
